"""What of reference results comes out again: the same choices and seeds, run by somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from bench.report.compare import Incomparable, compared
from bench.report.groups import Group, groups
from bench.report.read import Records, Run
from bench.report.statistics import Comparison

ROUNDING = 1e-6  # points


@dataclass(frozen=True)
class Reproduction:
    """Runs of one choice, those of the reference beside ours of the same seeds."""

    group: Group  # of the reference
    split: str
    theirs: tuple[float, ...]  # the scores of the seeds that both have
    ours: tuple[float, ...]
    against: Comparison | None  # ours minus theirs; None where they cannot be compared
    reason: str = ""  # why not
    exact: bool = False  # whether no score of any split differs

    @property
    def difference(self) -> float | None:
        """Ours minus theirs, in points; None where no run is there."""
        return fmean(self.ours) - fmean(self.theirs) if self.ours else None

    @property
    def verdict(self) -> str:
        """What became of it, in a few words."""
        if not self.ours:
            return "not run here"
        if self.exact:
            return "the same"
        if self.against is None:
            return f"differs, not compared: {self.reason}"
        inside = self.against.low <= 0 <= self.against.high
        return "within the interval" if inside else "outside the interval"


def reproductions(ours: Records, reference: Records) -> list[Reproduction]:
    """Return what became of each choice of the reference, by task, data and the rest."""
    return [_of(ours, group) for group in groups(reference.listed)]


def _of(ours: Records, group: Group) -> Reproduction:
    split = group.first.result.primary.split
    both = [
        (theirs, run, before, after)
        for theirs in group.runs
        if (run := ours.runs.get(theirs.key))
        and (before := theirs.score(split)) is not None
        and (after := run.score(split)) is not None
    ]
    against, reason = None, ""
    if both:
        try:
            first, second = [theirs for theirs, *_ in both], [run for _, run, *_ in both]
            against, _ = compared(first, second, split)
        except Incomparable as why:
            reason = str(why)
    return Reproduction(
        group,
        split,
        theirs=tuple(score for _, _, score, _ in both),
        ours=tuple(score for _, _, _, score in both),
        against=against,
        reason=reason,
        exact=all(_same(theirs, run) for theirs, run, *_ in both),
    )


def _same(theirs: Run, ours: Run) -> bool:
    """Return whether no score of two runs differs, of the splits that both have."""
    splits = theirs.result.metrics.keys() & ours.result.metrics.keys()
    pairs = [(theirs.score(split), ours.score(split)) for split in splits]
    return not any(a is None or b is None or abs(a - b) >= ROUNDING for a, b in pairs)
