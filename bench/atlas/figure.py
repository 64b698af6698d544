"""The figure of an atlas: every number against the layers."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes

from bench.atlas.layers import Layer
from bench.report.figures.style import MARKERS, SERIES, STYLE, Picture, legend, sheet

PANELS = (
    (
        "mean cosine",
        {
            "of any two uses (anisotropy)": "anisotropy",
            "of two uses of a word, above that": "self_similarity",
            "with the sentence's mean, above that": "in_sentence",
        },
    ),
    ("intrinsic dimension (TwoNN)", {"": "dimension"}),
    ("effective rank", {"": "effective_rank"}),
)
"""Each panel's title, and the numbers in it by what they are called."""


def figure(found: Sequence[Layer]) -> Picture:
    """Draw the numbers of these layers."""
    with matplotlib.rc_context(STYLE):
        drawn, panels = sheet(len(PANELS), height=6.2, ratios=(1.6, 1, 1))
        for axes, (title, lines) in zip(panels, PANELS, strict=True):
            axes.set_title(title)
            _lines(axes, lines, found)
        legend(drawn, panels[:1], columns=1)
        panels[-1].set_xticks([layer.number for layer in found])
        panels[-1].set_xlabel("layer")
    title = "Every number against the layers"
    return Picture(name="layers", section="layers", caption=title, alt=title, figure=drawn)


def _lines(axes: Axes, lines: dict[str, str], found: Sequence[Layer]) -> None:
    for i, (label, name) in enumerate(lines.items()):
        axes.plot(
            [layer.number for layer in found],
            [getattr(layer, name) for layer in found],
            color=SERIES[i],
            marker=MARKERS[i],
            label=label or None,
        )
