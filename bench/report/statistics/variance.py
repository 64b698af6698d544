"""How much of a score's variance comes from the seeds, and how much from the examples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.report.statistics.pseudo_values import PseudoValues


@dataclass(frozen=True)
class Components:
    """The variances of one seed's score on one cluster of examples, in points squared.

    They are those of the crossed layout  score = mean + seed + cluster + both,  with one
    observation a cell.

    Attributes:
        seeds: the variance from training with another seed; None if only one seed was seen.
        clusters: the variance from another cluster of examples, alike for all seeds. With one seed
            it holds `both` as well, from which it cannot be told.
        both: the variance of what one seed does on one cluster, chance of single examples included.
    """

    seeds: float | None
    clusters: float
    both: float

    def from_seeds(self, seeds: int) -> float:
        """Variance of a mean over `seeds` that comes from the seeds; 0 if only one was seen."""
        return (self.seeds or 0.0) / seeds

    def from_examples(self, seeds: int, clusters: int) -> float:
        """Variance of a mean over `seeds` that comes from the choice of `clusters`."""
        return self.clusters / clusters + self.both / (seeds * clusters)

    def variance(self, seeds: int, clusters: int) -> float:
        """Variance of a mean over so many seeds, on so many clusters.

        >>> Components(seeds=4.0, clusters=100.0, both=300.0).variance(seeds=2, clusters=50)
        7.0
        """
        return self.from_seeds(seeds) + self.from_examples(seeds, clusters)


def components(pseudo: PseudoValues) -> Components:
    """Estimate the components from mean squares; negative estimates count as 0.

    This is the two-way analysis of variance without replication (Searle, Casella & McCulloch
    1992, chapter 4), with the scores themselves in place of the means of pseudo-values.
    """
    seeds, clusters = pseudo.values.shape
    of_clusters = pseudo.values.mean(axis=0)
    squares_clusters = seeds * float(of_clusters.var(ddof=1))
    if seeds == 1:
        return Components(seeds=None, clusters=squares_clusters, both=0.0)
    rest = pseudo.values - of_clusters - pseudo.values.mean(axis=1, keepdims=True)
    rest += of_clusters.mean()
    both = float(np.square(rest).sum()) / ((seeds - 1) * (clusters - 1))
    squares_seeds = clusters * float(pseudo.scores.var(ddof=1))
    return Components(
        seeds=max(0.0, squares_seeds - both) / clusters,
        clusters=max(0.0, squares_clusters - both) / seeds,
        both=both,
    )
