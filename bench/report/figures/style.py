"""A figure of the report: how it looks, and how it becomes SVG, PDF and PNG."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elmo_core.choices import PLACEMENTS
from elmo_core.whole_files import replacing, write_text

INK, MUTED, RULE = "#23272f", "#6b7280", "#d9dce1"
SERIES = ("#3b5bdb", "#e8590c", "#087f5b", "#c2255c", "#7048e8", "#0b7285", "#5c4813")
MARKERS = "osD^vPX*"  # one more than colours: pairs come round late
PAPER = "#ffffff"
INLINE = {PAPER: "paper", INK: "ink", MUTED: "muted", RULE: "rule"} | {
    c: f"c{i}" for i, c in enumerate(SERIES)
}
"""Colours and their names in page.css: on the page, they follow light and dark."""

WIDTH = 4.2  # inches: a phone's width at the text's natural size
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "text.parse_math": False,  # a $ in a name is a $
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,  # TrueType, as publishers ask for
    "svg.hashsalt": "elmo-bench",  # the same figure, the same file
}


@dataclass(frozen=True)
class Picture:
    name: str  # of its files
    section: str  # the experiment's, or "runs"
    caption: str
    alt: str
    figure: Figure

    @cached_property
    def inline(self) -> str:
        """The SVG for the page: no header, no fonts, colours by name, ids of its own."""
        text = self._svg[self._svg.index("<svg ") :]
        text = re.sub(r"<(metadata|style).*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r' (width|height)="[^"]*pt"', "", text, count=2)
        text = re.sub(r"#[0-9a-f]{6}", lambda m: _named(m.group()), text)
        text = text.replace("'DejaVu Sans'", "var(--sans)")
        text = re.sub(r'((?: id="|url\(#|href="#))', rf"\g<1>{self.name}-", text)
        return text.replace("<svg ", f'<svg role="img" aria-label="{escape(self.alt)}" ', 1)

    @cached_property
    def _svg(self) -> str:
        with matplotlib.rc_context(STYLE):
            out = io.StringIO()
            self.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        self.figure.set_layout_engine("none")  # it is laid out now, and drawing is slow
        return out.getvalue()

    def save(self, folder: Path) -> None:
        """Write NAME.svg, NAME.pdf and NAME.png into `folder`, on a white sheet."""
        sheet = self._svg.replace("<svg ", f'<svg style="background: {PAPER}" ', 1)
        write_text(folder / f"{self.name}.svg", sheet)
        self.save_png(folder)
        with replacing(folder / f"{self.name}.pdf") as temporary, matplotlib.rc_context(STYLE):
            undated = {"CreationDate": None, "Creator": None, "Producer": None}
            self.figure.savefig(temporary, format="pdf", facecolor=PAPER, metadata=undated)

    def save_png(self, folder: Path) -> None:
        """Write NAME.png into `folder`, on a white sheet."""
        with replacing(folder / f"{self.name}.png") as temporary, matplotlib.rc_context(STYLE):
            self.figure.savefig(temporary, format="png", dpi=200, facecolor=PAPER)


def _named(colour: str) -> str:
    return f"var(--{INLINE[colour]})" if colour in INLINE else colour


def place_colour(placement: str) -> str:
    """Return the colour of runs with ELMo at `placement`; grey without ELMo."""
    index = PLACEMENTS.index(placement) if placement in PLACEMENTS else len(PLACEMENTS)
    return SERIES[index - 1] if index else MUTED


def sheet(
    panels: int = 1,
    *,
    height: float,
    width: float = WIDTH,
    ratios: Sequence[float] | None = None,
    sharex: bool = True,
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, one below the other; its size is in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(panels, 1, squeeze=False, sharex=sharex, height_ratios=ratios)
    return figure, list(axes[:, 0])


def legend(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """Draw one legend for all panels, below them."""
    found = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in panels]
    unique = {label: handle for pairs in found for handle, label in pairs}
    figure.legend(list(unique.values()), list(unique), loc="outside lower center", ncols=columns)
