"""Differences from the baseline with their intervals, one panel a row of the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.axes import Axes

from bench.report import wording
from bench.report.figures.style import MUTED, PAPER, SERIES, Picture, legend, sheet
from bench.report.grid import HOLLOW, Entry, Grid


def forest(grid: Grid) -> Iterator[Picture]:
    """Yield one picture, with a panel for each row; none where nothing was compared."""
    experiment = grid.experiment
    found: dict[str, list[tuple[str, Entry]]] = {}
    for (row, column), entry in grid.entries.items():
        if entry.against:
            found.setdefault(row, []).append((column, entry))
    if not found:
        return
    sizes = [len(entries) for entries in found.values()]
    height = 0.9 + sum(0.27 * size + 0.3 for size in sizes)
    figure, panels = sheet(len(found), height=height, ratios=sizes)
    for axes, (row, entries) in zip(panels, found.items(), strict=True):
        _panel(axes, grid, row, entries)
    panels[-1].set_xlabel(f"difference from {grid.baseline}, points")
    legend(figure, panels, columns=3)
    yield Picture(
        name=f"{experiment.id}-differences",
        section=experiment.id,
        caption=f"Differences from {grid.baseline}, with {wording.CONFIDENCE} intervals.",
        alt=f"{experiment.title}: differences from {grid.baseline} with intervals",
        figure=figure,
    )


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
    axes.set_title(f"{grid.title(row)}, {grid.scored_by(row)}")
    axes.set_yticks(range(len(entries)), [column for column, _ in entries])
    axes.set_ylim(len(entries) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
