"""What a table can see, by closed forms and by trying."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bench.report.statistics import (
    Components,
    PseudoValues,
    compare,
    power,
    seeds_needed,
    smallest_difference,
)

FOUND = Components(seeds=1.0, clusters=400.0, both=600.0)


def test_one_seed_is_the_z_test() -> None:
    """Lehr: (1.96 + 0.84) standard errors."""
    error = (1000.0 / 20_000) ** 0.5
    normal = NormalDist()
    expected = (normal.inv_cdf(0.975) + normal.inv_cdf(0.8)) * error
    assert smallest_difference(FOUND, 1, 20_000) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
def test_with_nothing_but_seeds_it_is_the_t_test(seeds: int) -> None:
    only = Components(seeds=4.0, clusters=0.0, both=0.0)
    needed = scipy_stats.t.ppf(0.975, seeds - 1)
    shifted = scipy_stats.nct(seeds - 1, 3.0 / (2 / seeds**0.5))
    expected = shifted.sf(needed) + shifted.cdf(-needed)
    assert power(3.0, only, seeds, 1000) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_it_is_how_often_compare_finds_the_difference(seeds: int) -> None:
    random = np.random.default_rng(0)
    clusters, trials = 200, 500
    difference = smallest_difference(FOUND, seeds, clusters, wanted=0.6)
    hits = 0
    for _ in range(trials):
        values = difference + random.standard_normal((seeds, 1)) + 20 * random.standard_normal(200)
        values = values + 600**0.5 * random.standard_normal((seeds, clusters))
        hits += compare(PseudoValues(values.mean(axis=1), values, clusters)).p < 0.05
    assert hits / trials == pytest.approx(0.6, abs=0.07)


def test_the_smallest_difference_is_found_with_the_wanted_power() -> None:
    for seeds in (1, 2, 3, 10):
        difference = smallest_difference(FOUND, seeds, 500, wanted=0.9)
        assert power(difference, FOUND, seeds, 500) == pytest.approx(0.9, abs=1e-6)


@pytest.mark.parametrize("seeds", [1, 3])
def test_no_difference_is_found_as_often_as_the_level_allows(seeds: int) -> None:
    found = Components(seeds=0.0, clusters=400.0, both=0.0)
    assert power(0.0, found, seeds, 1_000_000) == pytest.approx(0.05, abs=1e-3)


def test_so_many_seeds_and_not_one_fewer() -> None:
    seeds = seeds_needed(2.5, FOUND, clusters=2_000)
    assert seeds is not None
    assert power(2.5, FOUND, seeds, 2_000) >= 0.8 > power(2.5, FOUND, seeds - 1, 2_000)


def test_too_few_examples_are_not_mended_by_seeds() -> None:
    assert seeds_needed(1.0, FOUND, clusters=500) is None


def test_one_seeds_records_need_an_assumption() -> None:
    unknown = replace(FOUND, seeds=None)
    assert 0 < power(2.0, unknown, 1, 1_000) < 1
    with pytest.raises(ValueError, match="the variance between seeds is not known"):
        power(2.0, unknown, 3, 1_000)


def test_without_variance_every_difference_is_seen() -> None:
    certain = Components(seeds=0.0, clusters=0.0, both=0.0)
    assert (power(0.0, certain, 3, 10), power(0.1, certain, 3, 10)) == (0, 1)
