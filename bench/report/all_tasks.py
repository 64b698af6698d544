"""A table's columns against the baseline over all of its tasks together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.report.grid import Grid
from bench.report.statistics import (
    Array,
    Comparison,
    ImprovementProbability,
    MeanGain,
    mean_gain,
    probability_of_improvement,
)


@dataclass(frozen=True)
class AllTasks:
    """One column against the baseline, over the tasks in which the two are compared."""

    column: str
    gain: MeanGain
    improvement: ImprovementProbability
    runs: int  # of the task and the side with the fewest


def over_all_tasks(grid: Grid) -> list[AllTasks]:
    """Return every column's mean gain; nothing unless each row is a task of its own.

    Rows of one task have the same examples, so their differences are not independent.
    """
    tasks = {
        row: {entry.cells[0].task for entry in grid.row(row) if entry}
        for row in grid.experiment.rows
    }
    if len({frozenset(each) for each in tasks.values()}) < len(tasks):
        return []
    found = (_of(grid, column) for column in grid.experiment.columns)
    return [each for each in found if each is not None]


def _of(grid: Grid, column: str) -> AllTasks | None:
    comparisons: list[Comparison] = []
    scores: list[tuple[Array, Array]] = []
    for row in grid.experiment.rows:
        entry, base = grid.entries.get((row, column)), grid.against(row, column)
        if entry and entry.against and entry.scores and base and base.scores:
            comparisons.append(entry.against)
            scores.append((np.array(base.scores.values), np.array(entry.scores.values)))
    if len(comparisons) < 2:
        return None
    runs = min(len(side) for both in scores for side in both)
    return AllTasks(column, mean_gain(comparisons), probability_of_improvement(scores), runs)
