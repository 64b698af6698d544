"""One row over all tasks, in the manner of rliable (Agarwal et al. 2021, NeurIPS 34).

The tasks are strata: they stay as they are, and each draws its own seeds and examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.report.statistics.intervals import LEVEL, Comparison, Part, margin, p_value
from bench.report.statistics.pseudo_values import Array

RUNS_RESAMPLES = 2_000  # as rliable draws


@dataclass(frozen=True)
class MeanGain:
    """The mean of the tasks' differences, in points, with its interval over seeds and examples."""

    value: float
    low: float
    high: float
    p: float
    tasks: int
    seeds: (
        int  # of the task that has the fewest; with 1, its seeds' variance is not in the interval
    )


@dataclass(frozen=True)
class ImprovementProbability:
    """The probability that a run of the second system beats one of the first, with its interval."""

    value: float
    low: float
    high: float


def mean_gain(comparisons: Sequence[Comparison]) -> MeanGain:
    """Average the differences of several tasks.

    The tasks' variances between seeds add up, and so do those of the shared examples; each sum has
    the degrees of freedom of Satterthwaite (1946), more than one task alone would have.

    Raises:
        ValueError: if there is no task.
    """
    if not comparisons:
        raise ValueError("a mean gain needs one task at least")
    tasks = len(comparisons)
    between = [part for each in comparisons for part in each.parts[:-1]]
    shared = [each.parts[-1] for each in comparisons]
    parts = [_sum(kind, tasks) for kind in (between, shared) if kind]
    chance = _sum([each.chance for each in comparisons], tasks)
    value = float(np.mean([each.difference for each in comparisons]))
    half = margin(parts, chance, 1 - LEVEL)
    return MeanGain(
        value=value,
        low=value - half,
        high=value + half,
        p=p_value(value, parts, chance),
        tasks=tasks,
        seeds=min(each.seeds for each in comparisons),
    )


def _sum(parts: Sequence[Part], tasks: int) -> Part:
    """Variance of a mean over the tasks, with Satterthwaite's degrees of freedom."""
    variance = sum(part.variance for part in parts)
    squares = sum(part.variance**2 / part.df for part in parts)
    df = variance**2 / squares if squares else sum(part.df for part in parts)
    return Part(variance / tasks**2, df)


def probability_of_improvement(tasks: Sequence[tuple[Array, Array]]) -> ImprovementProbability:
    """Give how often a run of the second system beats a run of the first, averaged over tasks.

    Every run of a task is set against every run of the other system; a tie counts one half. The
    interval is rliable's: percentiles over runs drawn anew within each task and system. It knows
    nothing of examples, and with fewer than five runs it is too narrow.

    Args:
        tasks: for each task the first and the second system's scores, one a run.

    >>> probability_of_improvement([(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 5.0]))]).value
    0.8333333333333334
    """
    random = np.random.default_rng(3)
    drawn = np.zeros(RUNS_RESAMPLES)
    observed = 0.0
    for first, second in tasks:
        wins = (np.sign(second[:, None] - first[None, :]) + 1) / 2
        observed += wins.mean() / len(tasks)
        rows = random.integers(len(second), size=(RUNS_RESAMPLES, len(second), 1))
        columns = random.integers(len(first), size=(RUNS_RESAMPLES, 1, len(first)))
        drawn += wins[rows, columns].mean(axis=(1, 2)) / len(tasks)
    low, high = np.percentile(drawn, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return ImprovementProbability(float(observed), float(low), float(high))
