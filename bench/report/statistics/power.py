"""What a table can see: the power of `compare` before the runs are made.

Power is the probability that the interval of a true difference excludes 0. It is exact for normal
seeds and examples, but for taking what the seeds share as known, which is so for many clusters.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import chdtri, ndtr

from bench.report.statistics.intervals import LEVEL, Part, margin
from bench.report.statistics.pseudo_values import Array
from bench.report.statistics.variance import Components

POWER = 0.8
MOST_SEEDS = 100
_STEPS = 200  # of the integral over what the spread between the seeds happens to be


def power(difference: float, found: Components, seeds: int, clusters: int) -> float:
    """Give the probability that a true difference is found.

    Args:
        difference: the true difference, in points.
        found: variances of the difference, from earlier runs (`Comparison.components`) or assumed.
        seeds: how many seeds are to be run; with one, power is for that trained model.
        clusters: how many clusters of examples there are.

    Raises:
        ValueError: if there are several seeds but the variance between seeds is not known.

    >>> found = Components(seeds=1.0, clusters=400.0, both=400.0)
    >>> [round(power(3.0, found, seeds, clusters=1000), 2) for seeds in (1, 2, 3, 5, 10)]
    [0.92, 0.3, 0.65, 0.91, 0.98]
    """
    if seeds > 1 and found.seeds is None:
        raise ValueError("the variance between seeds is not known: assume one (replace seeds=)")
    variance = found.variance(seeds, clusters) if seeds > 1 else found.from_examples(1, clusters)
    halves = _margins(found, seeds, clusters)
    if variance == 0:
        return float(difference != 0)
    error = np.sqrt(variance)
    above, below = (ndtr((sign * difference - halves) / error) for sign in (1, -1))
    return float(np.mean(above + below))


@cache
def _margins(found: Components, seeds: int, clusters: int) -> Array:
    """Give the interval's half-widths at _STEPS quantiles of the spread that the seeds show."""
    chance = Part(found.from_examples(seeds, clusters), clusters - 1)
    if seeds == 1:
        return np.array([margin([chance], chance, 1 - LEVEL)])
    shared = Part(found.clusters / clusters, clusters - 1)
    uniform = (np.arange(_STEPS) + 0.5) / _STEPS
    between = found.variance(seeds, clusters) - shared.variance
    seen = between * chdtri(seeds - 1, uniform) / (seeds - 1)
    return np.array([margin([Part(v, seeds - 1), shared], chance, 1 - LEVEL) for v in seen])


@cache
def smallest_difference(
    found: Components, seeds: int, clusters: int, wanted: float = POWER
) -> float:
    """Give the smallest true difference, in points, that is found with the wanted power.

    >>> found = Components(seeds=1.0, clusters=400.0, both=400.0)
    >>> round(smallest_difference(found, seeds=3, clusters=1000), 1)
    3.7
    """
    least, most = 0.0, 1e-6
    while power(most, found, seeds, clusters) < wanted:
        least, most = most, 2 * most
    for _ in range(50):
        middle = (least + most) / 2
        seen = power(middle, found, seeds, clusters) >= wanted
        least, most = (least, middle) if seen else (middle, most)
    return most


@cache
def seeds_needed(difference: float, found: Components, clusters: int) -> int | None:
    """Give the number of seeds, two at least, with which a true difference would be found.

    None says that not even MOST_SEEDS would do; as a rule the examples are too few.

    >>> found = Components(seeds=1.0, clusters=400.0, both=400.0)
    >>> seeds_needed(3.0, found, clusters=1000), seeds_needed(1.0, found, clusters=1000)
    (4, None)
    """
    if power(difference, found, MOST_SEEDS, clusters) < POWER:
        return None
    seeds = 2
    while power(difference, found, seeds, clusters) < POWER:
        seeds += 1
    return seeds
