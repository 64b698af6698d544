"""A score, or a difference of two systems, with one interval over seeds and examples.

The variance of a mean over S seeds and C clusters has two independent parts: what shows between
the seeds' scores, known with S − 1 degrees of freedom, and what all seeds share and no comparison
of seeds can show (`Components.clusters` / C), known with C − 1. `half_width` makes one interval of
the two, with quantiles of Student's t, so that two seeds are not taken for many. Few seeds may be
equal by luck: `margin` is therefore never less than what chance of examples alone makes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, stdtrit

from bench.report.statistics.pseudo_values import Array, PseudoValues
from bench.report.statistics.variance import Components, components

LEVEL = 0.95
NO_WIDTH = 1e-9
"""An interval that is no wider has none, but for rounding."""
RESAMPLES = 9_999
_SIGNS = 1 << 22  # random signs held at once: 32 MB


class Part(NamedTuple):
    """An independent part of a mean's variance, estimated with so many degrees of freedom."""

    variance: float
    df: float


Parts = tuple[Part, ...]


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds, in points of the metric, with its LEVEL interval.

    The interval is of other seeds and other examples. With one seed it is of other examples for
    this trained model only: `one_seed` says so.

    Attributes:
        value: the mean of the seeds' scores or differences.
        low: the lower end of the interval.
        high: the upper end of the interval.
        seeds: the number of seeds.
        clusters: the number of clusters of examples; that of examples if there are no clusters.
        examples: the number of examples.
        seed_sd: sample standard deviation of the seeds' values as they stand in a table, the
            chance of their examples included; None for one seed.
        components: the variance's components.
        parts: the parts of the variance that the interval is made of.
        chance: the variance that the mean has, whatever its seeds show, by chance of examples.
    """

    value: float
    low: float
    high: float
    seeds: int
    clusters: int
    examples: int
    seed_sd: float | None
    components: Components
    parts: Parts
    chance: Part

    @property
    def one_seed(self) -> bool:
        """Whether the interval speaks of examples only."""
        return self.seeds == 1

    @property
    def half_width(self) -> float:
        """The ± of the interval."""
        return (self.high - self.low) / 2

    @property
    def from_seeds(self) -> float:
        """The part of ± that comes from the seeds; from_seeds² + from_examples² = half_width²."""
        share = self.components.from_seeds(self.seeds)
        total = self.components.variance(self.seeds, self.clusters)
        return self.half_width * math.sqrt(share / total) if total else 0.0

    @property
    def from_examples(self) -> float:
        """The part of ± that comes from the choice of examples."""
        return math.sqrt(max(0.0, self.half_width**2 - self.from_seeds**2))


@dataclass(frozen=True)
class Comparison(Estimate):
    """The second system against the first, in points of the metric.

    Attributes:
        p: the two-sided p-value. With several seeds it is 1 − the level at which the interval
            touches 0; with one seed it is that of approximate randomisation of whole clusters.
    """

    p: float

    @property
    def difference(self) -> float:
        """The mean difference, second minus first."""
        return self.value

    @property
    def alike(self) -> bool:
        """Whether every example and seed has the same difference, so that nothing varies."""
        return self.high - self.low < NO_WIDTH


def estimate(pseudo: PseudoValues) -> Estimate:
    """Give one system's score, a percentage, and its interval.

    The interval is symmetric in the log odds of the score (the delta method), which keeps it
    within 0 and 100 and lets it cover as often above as below. If the score is 0 or 100 there is
    no variance to go by, and the interval is that of Clopper & Pearson (1934) for clusters.

    >>> from bench.report.statistics import from_counts
    >>> from tasks.scoring.additive_metrics import mean
    >>> right = np.tile([1, 1, 1, 1, 0], (1, 40))  # one seed, 200 examples, 80 % right
    >>> counts = np.stack([right, np.ones_like(right)], axis=-1).astype(float)
    >>> found = estimate(from_counts(counts, mean))
    >>> f"{found.value:.1f} {found.low:.1f} {found.high:.1f}"
    '80.0 73.8 85.0'
    """
    summary = _summary(pseudo)
    value, half = summary.value, margin(summary.parts, summary.chance, 1 - LEVEL)
    share = value / 100
    if 0 < share < 1:
        step = half / (100 * share * (1 - share))
        low, high = (100 * float(expit(logit(share) + sign * step)) for sign in (-1, 1))
    elif share in (0, 1):
        bound = 100 * ((1 - LEVEL) / 2) ** (1 / summary.clusters)
        low, high = (0.0, 100 - bound) if share == 0 else (bound, 100.0)
    else:  # of a metric that is no share, such as a correlation
        low, high = value - half, value + half
    return Estimate(**{**vars(summary), "low": low, "high": high})


def compare(difference: PseudoValues, level: float = LEVEL) -> Comparison:
    """Give the difference of two systems, its interval and its p-value.

    Args:
        difference: the second system's pseudo-values minus the first's.
        level: how often the interval shall cover the true difference.

    The same predictions give the same numbers, whenever it is called.
    """
    summary = _summary(difference)
    half = margin(summary.parts, summary.chance, 1 - level)
    interval = {"low": summary.value - half, "high": summary.value + half}
    if summary.one_seed or 2 * half < NO_WIDTH:  # by these seeds it is the same everywhere
        swaps = difference.values if difference.swaps is None else difference.swaps
        p = _randomised(swaps.mean(axis=0))
    else:
        p = p_value(summary.value, summary.parts, summary.chance)
    return Comparison(**{**vars(summary), **interval}, p=p)


def margin(parts: Sequence[Part], chance: Part, p: float) -> float:
    """Give half the width of the interval of level 1 − p, never less than by `chance` alone.

    Scores are counts, so that few seeds often have the same by luck; `parts` then see nothing of
    what these seeds would do on other examples.

    >>> round(margin([Part(0.0, df=1), Part(0.0, df=99)], Part(variance=4.0, df=99), 0.05), 3)
    3.968
    """
    return max(half_width(parts, p), half_width([chance], p))


def half_width(parts: Sequence[Part], p: float) -> float:
    """Give half the width of an interval of level 1 − p for the sum of independent parts.

    It is the mean of two approximations that are both exact for a single part: `pooled` errs on
    the narrow side where few seeds matter, `separate` on the wide side where they do not.
    docs/statistics.md shows that the mean covers as it should.

    >>> round(half_width([Part(variance=4.0, df=2)], 0.05), 3)  # 4.303 · 2
    8.605
    """
    if not any(variance for variance, _ in parts):
        return 0.0
    return (pooled(parts, p) + separate(parts, p)) / 2


def pooled(parts: Sequence[Part], p: float) -> float:
    """Give the half-width by one quantile for the sum of the parts (Satterthwaite 1946)."""
    total = sum(variance for variance, _ in parts)
    df = total**2 / sum(variance**2 / df for variance, df in parts)
    return math.sqrt(float(stdtrit(df, p / 2)) ** 2 * total)


def separate(parts: Sequence[Part], p: float) -> float:
    """Add each part's own half-width in squares (Howe 1974; Zou & Donner 2008)."""
    return math.sqrt(sum(float(stdtrit(df, p / 2)) ** 2 * variance for variance, df in parts))


def p_value(value: float, parts: Sequence[Part], chance: Part) -> float:
    """1 − the level at which the interval around `value` touches 0, found by bisection.

    >>> round(p_value(8.605, [Part(variance=4.0, df=2)], Part(variance=1.0, df=99)), 3)
    0.05
    """
    least, most = 1e-12, 1.0
    for _ in range(60):
        middle = math.sqrt(least * most)
        wide = margin(parts, chance, middle) >= abs(value)
        least, most = (middle, most) if wide else (least, middle)
    return most


def _summary(pseudo: PseudoValues) -> Estimate:
    """Everything but the interval."""
    seeds, clusters = pseudo.values.shape
    found = components(pseudo)
    parts: Parts = (Part(found.clusters / clusters, clusters - 1),)
    sd = float(pseudo.scores.std(ddof=1)) if seeds > 1 else None
    if sd is not None:
        parts = (Part(sd**2 / seeds, seeds - 1), *parts)
    value = float(pseudo.scores.mean())
    return Estimate(
        value=value,
        low=value,
        high=value,
        seeds=seeds,
        clusters=clusters,
        examples=pseudo.examples,
        seed_sd=sd,
        components=found,
        parts=parts,
        chance=Part(found.from_examples(seeds, clusters), clusters - 1),
    )


def _randomised(swaps: Array) -> float:
    """p of approximate randomisation (Noreen 1989): the two systems swapped in random clusters.

    On accuracy with unclustered examples this is the exact sign test (McNemar's) but for the finite
    number of draws.
    """
    random = np.random.default_rng(2)
    total, clusters = float(swaps.sum()), len(swaps)
    extreme, left, most = 0, RESAMPLES, max(1, _SIGNS // clusters)
    while left > 0:
        size = min(most, left)
        drawn = random.integers(256, size=(size, (clusters + 7) // 8), dtype=np.uint8)
        swapped = np.unpackbits(drawn, axis=1, count=clusters)
        sums = total - 2 * (swapped @ swaps)
        extreme += int((np.abs(sums) >= abs(total) * (1 - 1e-9) - 1e-9).sum())
        left -= size
    return (1 + extreme) / (1 + RESAMPLES)  # the observed assignment is one of the possible ones
