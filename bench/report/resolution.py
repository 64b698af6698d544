"""What a table can see: the smallest differences that it finds, and the seeds that others take."""

from __future__ import annotations

from dataclasses import dataclass

from bench.report.grid import Grid
from bench.report.statistics import Comparison, seeds_needed, smallest_difference

LARGEST = 100.0  # points: no two scores differ by more


@dataclass(frozen=True)
class Resolution:
    """What one comparison of a table can see, by the variances that its own runs have shown."""

    row: str
    column: str
    against: Comparison
    smallest: float  # the smallest true difference, in points, found with 80 % power
    paper: float | None  # the paper's difference
    seeds: int | None  # that the paper's takes; None if one seed tells nothing, or no number does


def resolutions(grid: Grid) -> list[Resolution]:
    """Return what each comparison of the table can see; nothing of runs that are all alike."""
    return [
        _of(row, column, entry.against, grid.paper_difference(row, column))
        for (row, column), entry in grid.entries.items()
        if entry.against and not entry.against.alike
    ]


def _of(row: str, column: str, against: Comparison, paper: float | None) -> Resolution:
    found, clusters = against.components, against.clusters
    seeds = None
    if paper and not against.one_seed:
        seeds = seeds_needed(paper, found, clusters)
    smallest = smallest_difference(found, against.seeds, clusters)
    return Resolution(row, column, against, smallest, paper, seeds)
