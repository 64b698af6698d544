"""Differences from the baseline with their intervals, one panel a row of the table."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes

from bench.report import wording
from bench.report.figures.style import MUTED, PAPER, SERIES, Picture, legend, sheet
from bench.report.grid import HOLLOW, Entry, Grid

LABEL, LINE = 26, 54  # most characters of a label's line; of it and a title's, side by side


def forest(grid: Grid) -> Iterator[Picture]:
    """Yield one picture, with a panel for each row; none where nothing was compared."""
    experiment = grid.experiment
    found: dict[str, list[tuple[str, Entry]]] = {}
    for (row, column), entry in grid.entries.items():
        if entry.against:
            found.setdefault(row, []).append((column, entry))
    if not found:
        return
    labels = [fill(column, LABEL) for entries in found.values() for column, _ in entries]
    room = LINE - max(len(line) for label in labels for line in label.splitlines())
    titles = [fill(f"{grid.title(row)}, {grid.scored_by(row)}", room) for row in found]
    sizes = [len(entries) for entries in found.values()]
    entry_height = 0.14 + 0.13 * max(_lines(label) for label in labels)
    height = 0.9 + entry_height * sum(sizes) + sum(0.15 + 0.15 * _lines(title) for title in titles)
    figure, panels = sheet(len(found), height=height, ratios=sizes)
    for axes, title, (row, entries) in zip(panels, titles, found.items(), strict=True):
        _panel(axes, grid, row, entries)
        axes.set_title(title)
    panels[-1].set_xlabel(f"difference from {grid.baseline}, points")
    legend(figure, panels, columns=3)
    yield Picture(
        name=f"{experiment.id}-differences",
        section=experiment.id,
        caption=f"Differences from {grid.baseline}, with {wording.CONFIDENCE} intervals; "
        "significant: p < 0.05, with Holm's correction over all of them.",
        alt=f"{experiment.title}: differences from {grid.baseline} with intervals",
        figure=figure,
    )


def _lines(text: str) -> int:
    return text.count("\n") + 1


def _point(entry: Entry) -> dict[str, Any]:
    """Return the look of a point: hollow like its star, or where it has none."""
    if not entry.mark:
        return {"marker": "o", "markerfacecolor": PAPER, "label": "not significant"}
    if entry.mark.startswith(HOLLOW):
        look = {"marker": "*", "markersize": 9, "markerfacecolor": PAPER}
        return {**look, "label": "significant for one seed"}
    return {"marker": "o", "label": "significant"}


def _panel(axes: Axes, grid: Grid, row: str, entries: list[tuple[str, Entry]]) -> None:
    axes.axvline(0, color=MUTED, linewidth=1)
    for y, (column, entry) in enumerate(entries):
        against = entry.against
        assert against is not None
        axes.plot([against.low, against.high], [y, y], color=SERIES[0], solid_capstyle="round")
        axes.plot(against.difference, y, color=SERIES[0], linestyle="", **_point(entry))
        paper = grid.paper_difference(row, column)
        if paper is not None:
            axes.plot(paper, y, "D", color=MUTED, markersize=4, label="the paper's")
    axes.set_yticks(range(len(entries)), [fill(column, LABEL) for column, _ in entries])
    axes.set_ylim(len(entries) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
