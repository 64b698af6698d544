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


def apart(pairs: Sequence[tuple[Run, Run]]) -> list[int]:
    """Number the pairs, alike where they count as one: those that have a run in common.

    So each of several ensembles counts once, beside the mean of its seeds. Where a single one
    stands against all others, each of their seeds counts.
    """
    numbers = list(range(len(pairs)))
    if any(len({*side}) == 1 for side in zip(*pairs, strict=True)):
        return numbers
    for i, pair in enumerate(pairs):
        met = {n for n, other in zip(numbers[:i], pairs, strict=False) if {*pair} & {*other}}
        numbers = [i if n in met else n for n in numbers]
    return numbers


def _seeds(run: Run) -> list[int]:
    return [member.seed for member in run.result.ensemble] or [run.seed]
