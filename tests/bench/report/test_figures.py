"""Figures: all that they are of lies within."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from bench.experiment import View
from bench.report.figures.draw import draw
from bench.report.figures.style import STYLE
from bench.report.report import collect
from tests.bench.made_up import Maker


def drawn(make: Maker) -> Figure:
    figure = draw(collect([make.folder]))[0].figure
    with matplotlib.rc_context(STYLE):
        figure.draw_without_rendering()
    return figure


@pytest.mark.filterwarnings("error:constrained_layout not applied")
@pytest.mark.parametrize(("without", "learned"), [(0.3, 0.9), (0.9, 0.3), (0.3, 0.3)])
def test_a_line_beside_a_curve_is_seen_with_its_label(
    without: float, learned: float, tmp_path: Path
) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("snli", "none", skill=without)]
    for x in (0.1, 1):
        cells.append(make.cell("snli", f"λ={x}", x=x, skill=learned, placement="input", l2=x))
    make.experiment("lambda", cells, view=View.curve)
    axes = drawn(make).axes[0]
    low, high = axes.get_ylim()
    scores = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.lines])
    assert low < scores.min() <= scores.max() < high
    (label,) = (each for each in axes.texts if isinstance(each, Annotation))
    box, within = label.get_window_extent(), axes.get_window_extent()
    assert within.y0 <= box.y0 < box.y1 <= within.y1
