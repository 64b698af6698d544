"""Two systems on the same examples: the second's pseudo-values minus the first's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bench.report.statistics.pseudo_values import (
    GROUPS,
    Array,
    Clusters,
    Metric,
    PseudoValues,
    cluster_sums,
    from_counts,
    from_scoring,
)

Pair = PseudoValues
Predictions = Sequence[Sequence[Mapping[str, Any]]]


def Summed(
    first: Array, second: Array, metric: Metric, clusters: Clusters | None = None
) -> PseudoValues:
    """Pair two systems by their counts, (seeds, examples, numbers) each; see `from_counts`.

    Raises:
        ValueError: if the shapes differ, or there are fewer than two clusters.
    """
    if first.shape != second.shape:
        raise ValueError(f"unlike shapes: {first.shape} and {second.shape}")
    difference = from_counts(second, metric, clusters) - from_counts(first, metric, clusters)
    one, other = cluster_sums(first, clusters), cluster_sums(second, clusters)
    equal = (one + other).sum(axis=1, keepdims=True) / 2  # two systems that each have the mean
    half = (other - one) / 2
    return replace(difference, swaps=metric(equal + half) - metric(equal - half))


def Rescored(
    first: Predictions,
    second: Predictions,
    score: Callable[[list[Mapping[str, Any]]], float],
    clusters: Clusters | None = None,
    groups: int = GROUPS,
) -> PseudoValues:
    """Pair two systems by any metric of their predictions; see `from_scoring`."""
    one, other = (from_scoring(side, score, clusters, groups) for side in (first, second))
    return other - one
