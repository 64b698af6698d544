"""What the numbers of a table can bear: intervals, p-values, power. Formulas: docs/statistics.md.

pseudo_values.py   counts of examples, or any score, of one system or of the difference of two
                   → jackknife pseudo-values (seeds, clusters)
variance.py        how much of the variance comes from the seeds and how much from the examples
intervals.py       a score or a difference with its interval and p-value
corrections.py     several p-values of one table
power.py           the smallest difference that a table can see, and the seeds that one takes
aggregate.py       one row over all tasks
uniformity.py      how far mixing weights are from uniform
"""

from __future__ import annotations

from bench.report.statistics.aggregate import (
    ImprovementProbability,
    MeanGain,
    mean_gain,
    probability_of_improvement,
)
from bench.report.statistics.corrections import holm
from bench.report.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Comparison,
    Estimate,
    compare,
    estimate,
)
from bench.report.statistics.power import (
    MOST_SEEDS,
    POWER,
    power,
    seeds_needed,
    smallest_difference,
)
from bench.report.statistics.pseudo_values import (
    Array,
    Clusters,
    PseudoValues,
    from_counts,
    from_paired_counts,
    from_scoring,
)
from bench.report.statistics.uniformity import from_uniform
from bench.report.statistics.variance import Components, components

__all__ = [
    "LEVEL",
    "MOST_SEEDS",
    "POWER",
    "RESAMPLES",
    "Array",
    "Clusters",
    "Comparison",
    "Components",
    "Estimate",
    "ImprovementProbability",
    "MeanGain",
    "PseudoValues",
    "compare",
    "components",
    "estimate",
    "from_counts",
    "from_paired_counts",
    "from_scoring",
    "from_uniform",
    "holm",
    "mean_gain",
    "power",
    "probability_of_improvement",
    "seeds_needed",
    "smallest_difference",
]
