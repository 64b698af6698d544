"""The components of variance in layouts that are known."""

from __future__ import annotations

import numpy as np
import pytest

from bench.report.statistics import Array, Components, PseudoValues, components


def layout(values: Array) -> PseudoValues:
    """A mean over clusters, whose pseudo-values are the clusters' own."""
    return PseudoValues(values.mean(axis=1), values, values.shape[1])


def test_what_only_adds_up_has_no_rest() -> None:
    seeds, clusters = np.array([1.0, 2.0, 6.0]), np.array([3.0, 5.0, 4.0, 9.0])
    found = components(layout(seeds[:, None] + clusters[None]))
    assert found.both == pytest.approx(0)
    assert found.seeds == pytest.approx(seeds.var(ddof=1))
    assert found.clusters == pytest.approx(clusters.var(ddof=1))


def test_on_average_they_are_the_truth() -> None:
    random = np.random.default_rng(0)
    truth = Components(seeds=4.0, clusters=9.0, both=25.0)
    found = []
    for _ in range(2_000):
        values = random.normal(0, 5, (4, 30))
        values += random.normal(0, 2, (4, 1)) + random.normal(0, 3, 30)
        each = components(layout(values))
        found.append((each.seeds, each.clusters, each.both))
    means = np.mean(np.array(found, dtype=float), axis=0)
    assert means == pytest.approx((truth.seeds, truth.clusters, truth.both), rel=0.06)


def test_of_one_seed_the_variance_is_a_means() -> None:
    """Independent right and wrong answers: p (1 − p) / n, with n − 1 for n."""
    right: Array = np.tile([100.0, 100.0, 100.0, 100.0, 0.0], (1, 40))
    found = components(layout(right))
    assert found.seeds is None
    assert found.variance(1, 200) == pytest.approx(100**2 * 0.8 * 0.2 / 199)


def test_equal_seeds_leave_nothing_to_the_seeds() -> None:
    values = np.random.default_rng(0).random((1, 50))
    found = components(layout(values.repeat(3, axis=0)))
    assert (found.seeds, found.both) == pytest.approx((0, 0))
    assert found.clusters == pytest.approx(values.var(ddof=1))


def test_more_seeds_help_against_seeds_and_more_clusters_against_clusters() -> None:
    found = Components(seeds=2.0, clusters=30.0, both=60.0)
    assert found.variance(1, 10) == pytest.approx(2 + 3 + 6)
    assert found.variance(4, 10) == pytest.approx(0.5 + 3 + 1.5)
    assert found.from_seeds(4) == pytest.approx(0.5)
    assert found.from_examples(4, 100) == pytest.approx(0.3 + 0.15)
