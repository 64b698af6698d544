"""Dev scores after some of the epochs: what learns late, and what had not ended when it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from bench.report import wording
from bench.report.frame import Frame
from bench.report.grid import Grid
from bench.report.read import Run

ALL = 6  # so many epochs are shown each


def by_epoch(grid: Grid) -> Frame:
    """Return a row for each system: its mean dev score after the epochs of `shown`.

    Seeds that had stopped before are not in a mean; in parentheses is how many are, if not all.
    """
    longest = max((len(run.result.dev_scores) for run in grid.runs), default=0)
    if longest < 2:
        return Frame([], [])
    epochs = list(shown(longest))
    rows = [
        [row, column, *(_mean(entry.runs, epoch) for epoch in epochs)]
        for (row, column), entry in grid.entries.items()
        if any(run.result.history for run in entry.runs)
    ]
    return Frame.of(["row", "column", *(f"epoch {epoch}" for epoch in epochs)], rows)


def shown(longest: int) -> Iterator[int]:
    """Yield each of a few epochs; of many the first, the second, the fourth, …, and the last.

    >>> list(shown(4)), list(shown(30))
    ([1, 2, 3, 4], [1, 2, 4, 8, 16, 30])
    """
    epoch = 1
    while epoch < longest:
        yield epoch
        epoch = epoch + 1 if longest <= ALL else 2 * epoch
    yield longest


def _mean(runs: Sequence[Run], epoch: int) -> str:
    scores = [run.result.dev_scores for run in runs]
    there = [each[epoch - 1] for each in scores if len(each) >= epoch]
    if not there:
        return ""
    number = wording.number(fmean(there))
    return number if len(there) == len(runs) else f"{number} ({len(there)})"
