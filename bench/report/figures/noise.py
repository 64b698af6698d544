"""Scores against the share of words that are misspelled: a picture a task, a panel a kind."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes

from bench.records import BETWEEN, CLEAN, noisy_parts
from bench.report import wording
from bench.report.figures.style import MARKERS, SERIES, Picture, legend, sheet
from bench.report.grid import Entry, Grid


def noise(grid: Grid) -> Iterator[Picture]:
    """Yield one picture for each row of the experiment that has scores."""
    experiment = grid.experiment
    rows = [row for row in experiment.rows if any(e and e.scores for e in grid.row(row))]
    for number, task in enumerate(dict.fromkeys(noisy_parts(row)[0] for row in rows)):
        of_task = [row for row in rows if noisy_parts(row)[0] == task]
        name = grid.title(of_task[0]).partition(BETWEEN)[0]
        kinds = list(dict.fromkeys(noisy_parts(row)[2] for row in of_task))
        systems = list(dict.fromkeys(noisy_parts(row)[1] for row in of_task))
        figure, panels = sheet(len(kinds), height=1.0 + 1.7 * len(kinds))
        for axes, kind in zip(panels, kinds, strict=True):
            for row in (row for row in of_task if noisy_parts(row)[2] == kind):
                _line(axes, grid, row, systems.index(noisy_parts(row)[1]))
            axes.set_title(f"{name}, {kind}: {grid.scored_by(of_task[0])}")
        panels[-1].set_xlabel("chance of each word to be changed, %")
        legend(figure, panels, columns=2)
        yield Picture(
            name=f"{experiment.id}-{number + 1}",
            section=experiment.id,
            caption=f"{name}: score against noise (bars: {wording.CONFIDENCE} interval of the "
            "difference from the clean set, on the score).",
            alt=f"{name}: scores under noise",
            figure=figure,
        )


def _line(axes: Axes, grid: Grid, row: str, system: int) -> None:
    points = [(entry, entry.scores.mean) for entry in _entries(grid, row) if entry.scores]
    below = [-e.against.low + e.against.difference if e.against else 0.0 for e, _ in points]
    above = [e.against.high - e.against.difference if e.against else 0.0 for e, _ in points]
    axes.errorbar(
        [entry.cells[0].x or 0.0 for entry, _ in points],
        [mean for _, mean in points],
        yerr=[below, above],
        color=SERIES[system % len(SERIES)],
        marker=MARKERS[system % len(MARKERS)],
        elinewidth=1,
        label=noisy_parts(row)[1],
    )


def _entries(grid: Grid, row: str) -> list[Entry]:
    found = [entry for entry in grid.row(row) if entry]
    return sorted(found, key=lambda e: (e.cells[0].column != CLEAN, e.cells[0].x or 0.0))
