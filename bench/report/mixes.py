"""The learned mixes of some runs: softmaxed weights, γ, and how far they are from uniform."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.records import Finished
from bench.report.read import Run
from bench.report.statistics import from_uniform

EXPLAINED = (
    "s: the layers' shares, after the softmax, the token layer (0) first; γ: the scale. "
    "From uniform: KL(s ‖ uniform) / log L; 0 % where all L layers count alike, 100 % where one "
    "counts alone."
)


@dataclass(frozen=True)
class MeanMix:
    """The mix of one place, as a mean over the seeds."""

    place: str
    weights: tuple[float, ...]
    gamma: float
    from_uniform: float  # the mean of each run's, 0 to 1
    seeds: int


def mixes(runs: Sequence[Run]) -> list[MeanMix]:
    """Return one mix a place, of those runs whose weights were learned; for each number of layers,
    which an encoder that its own code makes may change."""
    alike: defaultdict[tuple[str, int], list[Finished]] = defaultdict(list)
    for result in (run.result for run in runs if _learned(run.result)):
        for place, mix in result.mix.items():
            alike[place, len(mix.weights)].append(result)
    return [_mean(place, results) for (place, _), results in alike.items()]


def _learned(result: Finished) -> bool:
    """Say whether training moved the mix: a head without training leaves every γ at 1."""
    moved = any(mix.gamma != 1.0 for mix in result.mix.values())
    return moved and result.elmo.layers in (None, "all")


def _mean(place: str, results: Sequence[Finished]) -> MeanMix:
    found = [result.mix[place] for result in results]
    return MeanMix(
        place=place,
        weights=tuple(map(fmean, zip(*(mix.weights for mix in found), strict=True))),
        gamma=fmean(mix.gamma for mix in found),
        from_uniform=fmean(from_uniform(mix.weights) for mix in found),
        seeds=len(found),
    )
