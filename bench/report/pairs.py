"""Which runs of two columns are compared: those of one seed, and what counts as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from bench.report.read import Run


def paired(base: Sequence[Run], other: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Pair the runs of each seed that both have; an ensemble is one of each of its runs' seeds."""
    by_seed = defaultdict[int, list[Run]](list)
    for run in base:
        for seed in _seeds(run):
            by_seed[seed].append(run)
    both = ((one, run) for run in other for seed in _seeds(run) for one in by_seed.get(seed, ()))
    return list(dict.fromkeys(both))


def apart(pairs: Sequence[tuple[Run, Run]]) -> tuple[list[int], list[int]]:
    """Number the pairs by what counts as one: first each ensemble beside its seeds, then those
    that have a run in common.

    Returns a number a pair, then a number for each that these make in order; alike numbers are
    averaged. Where a single ensemble stands against all others, each of their seeds counts.
    """
    numbers = list(range(len(pairs)))
    sides = [list(side) for side in zip(*pairs, strict=True)]
    if any(len({*side}) == 1 for side in sides):
        return numbers, numbers
    for i, pair in enumerate(pairs):
        met = {n for n, other in zip(numbers[:i], pairs, strict=False) if {*pair} & {*other}}
        numbers = [i if n in met else n for n in numbers]
    ensembles = min(sides, key=lambda side: len({*side}))
    each = [ensembles.index(run) for run in ensembles]
    return each, [numbers[first] for first in dict.fromkeys(each)]


def _seeds(run: Run) -> list[int]:
    return [member.seed for member in run.result.ensemble] or [run.seed]
