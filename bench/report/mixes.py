"""The learned mixes of some runs: softmaxed weights, γ, and how far they are from uniform."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.report.records import Run
from bench.report.statistics import from_uniform

EXPLAINED = (
    "s: the layers' shares, after the softmax, the token layer (0) first; γ: the scale. "
    "From uniform: KL(s ‖ uniform) / log L; 0 % where all L layers count alike, 100 % where one "
    "counts alone."
)


@dataclass(frozen=True)
class Mix:
    """Of one place, the mean over the seeds."""

    place: str
    weights: tuple[float, ...]
    gamma: float
    from_uniform: float  # the mean of each run's, 0 to 1
    seeds: int


def mixes(runs: Sequence[Run]) -> list[Mix]:
    """One a place, of those runs whose weights were learned (`elmo.layers=all`)."""
    learned = [run for run in runs if run.learned_mix]
    places = dict.fromkeys(place for run in learned for place in run.mix)
    return [_mean(place, [run for run in learned if place in run.mix]) for place in places]


def _mean(place: str, runs: Sequence[Run]) -> Mix:
    found = [run.mix[place] for run in runs]
    return Mix(
        place=place,
        weights=tuple(map(fmean, zip(*(mix["weights"] for mix in found), strict=True))),
        gamma=fmean(mix["gamma"] for mix in found),
        from_uniform=fmean(from_uniform(mix["weights"]) for mix in found),
        seeds=len(found),
    )


def layers(found: Iterable[Mix]) -> int:
    return max((len(mix.weights) for mix in found), default=0)
