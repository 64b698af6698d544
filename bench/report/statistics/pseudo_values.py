"""Jackknife pseudo-values: a metric of a whole split, told apart by clusters of examples.

The pseudo-value of cluster c is C·θ − (C − 1)·θ(without c), for C clusters and the metric θ (Tukey
1958). For a mean over equal clusters it is the cluster's own mean; for F1 over a corpus it is what
comes closest to one. Pseudo-values of every seed then stand for observations in an analysis of
variance, as in studies where several readers judge the same cases (Dorfman, Berbaum & Metz 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Clusters = Sequence[Hashable]
Metric = Callable[[Array], Array]

GROUPS = 40  # of examples, where leaving out one group costs a scoring


@dataclass(frozen=True)
class PseudoValues:
    """One system's scores, or the difference of two systems, in points of the metric.

    Attributes:
        scores: the metric of every seed, (seeds,).
        values: the pseudo-values of every seed and cluster, (seeds, clusters).
        examples: the number of examples in all clusters together.
        swaps: of a difference, what each cluster adds to it if the systems are otherwise equal, so
            that a swap of the two systems in this cluster turns its sign, (seeds, clusters). None
            if it is not known; the pseudo-values then stand for it.
    """

    scores: Array
    values: Array
    examples: int
    swaps: Array | None = None

    def __sub__(self, other: PseudoValues) -> PseudoValues:
        """Subtract a system that has the same seeds and the same clusters, in the same order.

        Raises:
            ValueError: if their numbers of seeds, clusters or examples differ.
        """
        shapes = (self.values.shape, self.examples), (other.values.shape, other.examples)
        if shapes[0] != shapes[1]:
            raise ValueError(f"unlike shapes: {shapes[1]} and {shapes[0]}")
        return PseudoValues(self.scores - other.scores, self.values - other.values, self.examples)

    def averaged(self, alike: Sequence[int]) -> PseudoValues:
        """Average the seeds that have the same number in `alike`: together they count as one."""
        places = [np.flatnonzero(np.equal(alike, number)) for number in dict.fromkeys(alike)]

        def mean(values: Array) -> Array:
            return np.stack([values[place].mean(axis=0) for place in places])

        swaps = None if self.swaps is None else mean(self.swaps)
        return PseudoValues(mean(self.scores), mean(self.values), self.examples, swaps)


def from_counts(counts: Array, metric: Metric, clusters: Clusters | None = None) -> PseudoValues:
    """Compute the pseudo-values of a metric that is a function of sums over examples.

    Args:
        counts: the numbers to be summed, (seeds, examples, numbers).
        metric: maps sums (…, numbers) to scores (…).
        clusters: the cluster of every example (its text); by default every
            example is a cluster of its own.

    Raises:
        ValueError: if there are fewer than two clusters, or not one cluster id for every example.

    >>> from tasks.scoring.additive_metrics import mean
    >>> right = np.array([[1, 1, 0, 1], [1, 0, 0, 1]])  # two seeds, four examples
    >>> counts = np.stack([right, np.ones_like(right)], axis=-1).astype(float)
    >>> from_counts(counts, mean, clusters=["a", "a", "b", "b"]).values
    array([[100.,  50.],
           [ 50.,  50.]])
    """
    return _from_sums(_cluster_sums(counts, clusters), metric, counts.shape[1])


def from_paired_counts(
    first: Array, second: Array, metric: Metric, clusters: Clusters | None = None
) -> PseudoValues:
    """Compute the difference of two systems on the same examples, second minus first.

    Args:
        first: the first system's counts, (seeds, examples, numbers), as for `from_counts`.
        second: the second system's, of the same seeds and examples in the same order.
        metric: maps sums (…, numbers) to scores (…).
        clusters: the cluster of every example, as for `from_counts`.

    Raises:
        ValueError: if the shapes differ, or as `from_counts` does.
    """
    if first.shape != second.shape:
        raise ValueError(f"unlike shapes: {first.shape} and {second.shape}")
    one, other = _cluster_sums(first, clusters), _cluster_sums(second, clusters)
    examples = first.shape[1]
    difference = _from_sums(other, metric, examples) - _from_sums(one, metric, examples)
    equal = (one + other).sum(axis=1, keepdims=True) / 2  # two systems that each have the mean
    half = (other - one) / 2
    return replace(difference, swaps=metric(equal + half) - metric(equal - half))


def _cluster_sums(counts: Array, clusters: Clusters | None) -> Array:
    """Sum counts (seeds, examples, numbers) within clusters → (seeds, clusters, numbers)."""
    number = _numbered(clusters, counts.shape[1])
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    return np.add.reduceat(counts[:, order], starts, axis=1)


def _from_sums(sums: Array, metric: Metric, examples: int) -> PseudoValues:
    """Compute the pseudo-values from the clusters' sums (seeds, clusters, numbers)."""
    total = sums.sum(axis=1)
    scores = np.asarray(metric(total), dtype=np.float64)
    without = np.asarray(metric(total[:, None] - sums), dtype=np.float64)
    return PseudoValues(scores, _pseudo(scores, without), examples)


def from_scoring(
    predictions: Sequence[Sequence[Mapping[str, Any]]],
    score: Callable[[list[Mapping[str, Any]]], float],
    clusters: Clusters | None = None,
    groups: int = GROUPS,
) -> PseudoValues:
    """Compute the pseudo-values of any metric, by scoring the split again without each group.

    Whole clusters are dealt to `groups` random groups of about equal size, which then stand for
    the clusters (the delete-a-group jackknife, Kott 2001). Every seed costs groups + 1 scorings.

    Args:
        predictions: every seed's predictions, in the same order of examples.
        score: the metric of a list of predictions.
        clusters: the cluster of every example, as for `from_counts`.
        groups: the number of groups; there are never more than clusters.

    Raises:
        ValueError: if there are fewer than two clusters, or not one cluster id for every example.
    """
    number = _numbered(clusters, len(predictions[0]))
    dealt = np.random.default_rng(1).permutation(number.max() + 1) % groups
    group = dealt[number]
    scores, without = [], []
    for rows in predictions:
        scores.append(score(list(rows)))
        without.append(
            [
                score([row for row, g in zip(rows, group, strict=True) if g != left_out])
                for left_out in range(dealt.max() + 1)
            ]
        )
    seeds = np.array(scores, dtype=np.float64)
    return PseudoValues(seeds, _pseudo(seeds, np.array(without, dtype=np.float64)), len(number))


def _pseudo(scores: Array, without: Array) -> Array:
    """Pseudo-values (seeds, clusters) from the scores of all and of all but one cluster."""
    clusters = without.shape[1]
    values: Array = clusters * scores[:, None] - (clusters - 1) * without
    return values


def _numbered(clusters: Clusters | None, examples: int) -> NDArray[np.int64]:
    """Number the clusters 0, 1, … in the order in which they come, (examples,)."""
    ids: Clusters = range(examples) if clusters is None else clusters
    if len(ids) != examples:
        raise ValueError(f"{len(ids)} cluster ids for {examples} examples: give one an example")
    numbers = {each: n for n, each in enumerate(dict.fromkeys(ids))}
    if len(numbers) < 2:
        raise ValueError(f"{len(numbers)} cluster of examples: an interval needs two at least")
    return np.fromiter(map(numbers.__getitem__, ids), np.int64, count=examples)
