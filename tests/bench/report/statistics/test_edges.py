"""Intervals and p-values where nothing varies, and of metrics that are no shares."""

from __future__ import annotations

import numpy as np
import pytest

from bench.report.statistics import compare, estimate, from_paired_counts
from bench.report.statistics.pseudo_values import Array, PseudoValues
from tasks.scoring.additive_metrics import mean


def right(each: int, clusters: int, seeds: int) -> Array:
    """All right or all wrong, one example a cluster."""
    return np.tile(np.array([each, 1.0]), (seeds, clusters, 1))


@pytest.mark.parametrize("seeds", [1, 2, 3])
def test_the_same_difference_everywhere_is_worth_its_clusters(seeds: int) -> None:
    """Of three clusters, two of eight assignments are as extreme, however many seeds agree."""
    found = compare(from_paired_counts(right(0, 3, seeds), right(1, 3, seeds), mean))
    assert found.alike
    assert found.p == pytest.approx(2 / 8, abs=0.02)


def test_the_interval_of_a_negative_score_is_around_it() -> None:
    values = np.random.default_rng(0).normal(-8, 70, (1, 200))
    found = estimate(PseudoValues(np.array([-8.0]), values, 200))
    assert found.low < -8 < found.high
    assert found.high + found.low == pytest.approx(-16)
