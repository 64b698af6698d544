"""Sample efficiency (the paper's Figure 1): scores on parts of the training set, and how soon a
system is as good as the baseline ever gets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bench.choice import leaves
from bench.experiment import View
from bench.report.grid import Entry, Grid
from bench.report.groups import choice_of, tells
from bench.report.pairs import paired
from bench.report.read import Run

Points = list[tuple[float, Entry]]  # by the part of the training set
SHARE = "data.train_share"


@dataclass(frozen=True)
class Series:
    """One system of a row: its entries by the part of the training set, ascending."""

    placement: str
    encoder: str  # its name where the placement has several, else empty
    differs: str  # what else tells it from others of its placement and encoder, as KEY=VALUE …
    points: Points

    @property
    def name(self) -> str:
        without = self.placement == "none"
        system = ["no ELMo"] if without else [self.encoder or "ELMo", self.placement]
        return ", ".join(filter(None, [*system, self.differs]))


@dataclass(frozen=True)
class Effort:
    """How much training a score took: means over seeds; epochs are counted from 1."""

    epochs: float
    updates: float | None  # None where a record does not tell


@dataclass(frozen=True)
class Reached:
    """How soon a system reached the baseline's best score, by the seeds that both have."""

    row: str
    column: str
    best: float  # the baseline's, on dev
    baseline: Effort
    needed: Effort | None  # None where some seed never gets there

    @property
    def saved(self) -> float | None:
        """The share of the baseline's updates that is not needed."""
        if self.needed is None or self.needed.updates is None or self.baseline.updates is None:
            return None
        return 1 - self.needed.updates / self.baseline.updates


def series(grid: Grid, row: str) -> list[Series]:
    """Return the curves of a row, one for each placement of each encoder and whatever else is
    compared there."""
    found: dict[tuple[str, str], Points] = {}
    for entry in grid.row(row):
        if entry is None or entry.scores is None or entry.cells[0].x is None:
            continue
        system = entry.cells[0].placement, entry.runs[0].result.encoder_name
        found.setdefault(system, []).append((entry.cells[0].x, entry))
    placements = [placement for placement, _ in found]
    searched = {key for search in grid.experiment.searches for key in search.chosen}
    return [
        Series(
            placement,
            encoder if placements.count(placement) > 1 else "",
            differs,
            sorted(points, key=lambda point: point[0]),
        )
        for (placement, encoder), alike in found.items()
        for differs, points in _told_apart(alike, {*searched, SHARE}).items()
    ]


def _told_apart(alike: Points, beside: Set[str]) -> dict[str, Points]:
    """Return the points of each system, by the keys in which columns of one x differ.

    What changes with x alone, as the number of epochs may, makes no other system; nor do the keys
    `beside`.
    """
    chosen = [dict(leaves(choice_of(entry.runs[0], ""))) for _, entry in alike]
    families: defaultdict[float, list[dict[str, Any]]] = defaultdict(list)
    for (x, _), each in zip(alike, chosen, strict=True):
        families[x].append(each)
    keys = {
        key
        for family in families.values()
        for key in set().union(*family) - beside
        if tells(key, family)
    }
    found: defaultdict[str, Points] = defaultdict(list)
    for point, each in zip(alike, chosen, strict=True):
        found[" ".join(f"{key}={each[key]}" for key in sorted(keys & each.keys()))].append(point)
    return found


def reached(grid: Grid) -> Iterator[Reached]:
    """Yield one for every system and every part of the training set that has a baseline; none
    where x is another thing than such a part."""
    if grid.experiment.view is not View.efficiency:
        return
    for row in grid.experiment.rows:
        for system in series(grid, row):
            for _, entry in system.points:
                base = grid.against(row, entry.cells[0].column)
                if base is not None:
                    yield from _reached(row, entry, base)


def _reached(row: str, entry: Entry, base: Entry) -> Iterator[Reached]:
    both = paired(base.runs, entry.runs)
    pairs = [pair for pair in both if all(run.result.history for run in pair)]
    if not pairs:
        return
    bests = [_best(run) for run, _ in pairs]
    needed = [(run, _epoch(run, best)) for (_, run), (best, _) in zip(pairs, bests, strict=True)]
    there = [(run, epoch) for run, epoch in needed if epoch is not None]
    yield Reached(
        row=row,
        column=entry.cells[0].column,
        best=fmean(best for best, _ in bests),
        baseline=_effort([(run, at) for (run, _), (_, at) in zip(pairs, bests, strict=True)]),
        needed=_effort(there) if len(there) == len(needed) else None,
    )


def _effort(found: Sequence[tuple[Run, int]]) -> Effort:
    """Average what each run took up to an epoch."""
    updates = [epoch * run.updates for run, epoch in found if run.updates]
    return Effort(
        fmean(epoch for _, epoch in found), fmean(updates) if len(updates) == len(found) else None
    )


def _best(run: Run) -> tuple[float, int]:
    """Return the best dev score, and the epoch in which it was first reached."""
    scores = run.result.dev_scores
    return max(scores), scores.index(max(scores)) + 1


def _epoch(run: Run, score: float) -> int | None:
    return next(
        (i for i, value in enumerate(run.result.dev_scores, start=1) if value >= score), None
    )
