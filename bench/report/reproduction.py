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

    @property
    def difference(self) -> float | None:
        """Ours minus theirs, in points; None where no run is there."""
        return fmean(self.ours) - fmean(self.theirs) if self.ours else None

    @property
    def verdict(self) -> str:
        """What became of it, in a few words."""
        pairs = zip(self.ours, self.theirs, strict=True)
        if not self.ours:
            return "not run here"
        if all(abs(ours - theirs) < ROUNDING for ours, theirs in pairs):
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
    pairs = [(run, ours.runs.get((run.task, run.id))) for run in group.runs]
    both = [(theirs, run) for theirs, run in pairs if run is not None and _has(run, split)]
    first, second = [theirs for theirs, _ in both], [run for _, run in both]
    against, reason = None, ""
    if both:
        try:
            against, _ = compared(first, second, split)
        except Incomparable as why:
            reason = str(why)
    return Reproduction(
        group, split, _scores(first, split), _scores(second, split), against, reason
    )


def _has(run: Run, split: str) -> bool:
    return run.score(split) is not None


def _scores(runs: list[Run], split: str) -> tuple[float, ...]:
    return tuple(float(score) for run in runs if (score := run.score(split)) is not None)
