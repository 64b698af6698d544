"""What a column changed, example by example: those it gets better or worse than the baseline."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.report.compare import Incomparable, Row, counting, rows_of
from bench.report.grid import Grid
from bench.report.pairs import paired
from bench.report.read import Run
from bench.report.slices import Slice, Slices, sliced, summaries

NOT_AS_WRITTEN = (Incomparable, LookupError, TypeError, AttributeError, ArithmeticError)
"""What predictions that are not there, or that no task has written, may raise."""
MOST = 200  # examples that are shown of one comparison
IN_ALL = 2_000  # of all comparisons of a report together
LONGEST = 600  # characters that are shown of a text


@dataclass(frozen=True)
class Change:
    """An example that the two systems differ in; what is drawn is what the task has drawn."""

    id: str
    text: str
    gold: str
    baseline: str
    column: str
    before: float  # the baseline's own score on it, in percent
    after: float
    slices: Slices

    @property
    def gain(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Changes:
    """One comparison of a table, of the lowest seed that both have."""

    row: str  # as papers call it
    column: str
    baseline: str
    split: str
    seed: int
    examples: int
    better: int
    worse: int
    slices: list[Slice]
    shown: list[Change]  # the greatest changes, where there are too many

    @property
    def choices(self) -> dict[str, list[str]]:
        """The values of each slice, for whoever filters by them."""
        found: dict[str, list[str]] = {}
        for each in self.slices:
            found.setdefault(each.name, []).append(each.value)
        return found


def changes(grid: Grid, most: int = MOST) -> list[Changes]:
    """Return what each column changed; nothing of those whose predictions are not there."""
    found = []
    for (row, column), entry in grid.entries.items():
        base = grid.against(row, column)
        if entry.against is None or base is None:
            continue
        try:
            before, after = min(paired(base.runs, entry.runs), key=lambda pair: pair[0].seed)
            found.append(
                _of(grid.title(row), column, grid.baseline, before, after, entry.split, most)
            )
        except NOT_AS_WRITTEN:
            continue
    return found


def share(grids: Sequence[Grid]) -> int:
    """Return how many examples each comparison may show, so that the page stays small."""
    comparisons = sum(len(grid.comparisons) for grid in grids)
    return min(MOST, IN_ALL // max(comparisons, 1))


def _of(
    row: str, column: str, baseline: str, before: Run, after: Run, split: str, most: int
) -> Changes:
    pairs = list(zip(rows_of(before, split), rows_of(after, split), strict=True))
    score = _scoring(after)
    scores = [(score(one), score(other)) for one, other in pairs]
    slices = sliced([other.get("slices") or {} for _, other in pairs])
    changed = [
        _change(*pair, *both, named)
        for pair, both, named in zip(pairs, scores, slices, strict=True)
        if both[0] != both[1]
    ]
    better = sum(each.gain > 0 for each in changed)
    return Changes(
        row,
        column,
        baseline,
        split,
        after.seed,
        examples=len(pairs),
        better=better,
        worse=len(changed) - better,
        slices=summaries(slices, scores),
        shown=_greatest(changed, most),
    )


def _scoring(run: Run) -> Callable[[Row], float]:
    """Return the score of one example, in percent: 100 where the prediction is the gold, else the
    task's metric of it alone."""
    counts, from_counts = counting(run)

    def score(row: Row) -> float:
        if row["prediction"] == row["gold"]:  # also where there is nothing to find
            return 100.0
        counted = counts(row)
        return 0.0 if counted is None else float(from_counts(np.array(counted, dtype=np.float64)))

    return score


def _change(one: Row, other: Row, before: float, after: float, slices: Slices) -> Change:
    drawn, plain = other.get("drawn") or {}, json.dumps(other["gold"], ensure_ascii=False)
    return Change(
        str(other["id"]),
        _short(drawn.get("text", "")),
        _short(drawn.get("gold", plain)),
        _predicted(one),
        _predicted(other),
        before,
        after,
        slices,
    )


def _predicted(row: Row) -> str:
    plain = json.dumps(row["prediction"], ensure_ascii=False)
    return _short((row.get("drawn") or {}).get("prediction", plain))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _greatest(changed: Sequence[Change], most: int) -> list[Change]:
    """Return the greatest changes first, the better ones and the worse ones in proportion."""
    ordered = sorted(changed, key=lambda each: -abs(each.gain))
    sides = [[c for c in ordered if c.gain > 0], [c for c in ordered if c.gain < 0]]
    part = min(1.0, most / max(len(ordered), 1))
    kept = {id(each) for side in sides for each in side[: round(part * len(side))]}
    return [each for each in ordered if id(each) in kept]
