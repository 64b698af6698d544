"""How far mixing weights are from uniform."""

from __future__ import annotations

import itertools
import math

import pytest
from scipy import stats as scipy_stats

from bench.report.statistics import from_uniform


def test_from_uniform_is_the_normalised_divergence() -> None:
    assert from_uniform([1 / 3] * 3) == pytest.approx(0)
    assert from_uniform([0, 1, 0]) == pytest.approx(1)
    assert from_uniform([1.0]) == 0
    shares = [0.5, 0.3, 0.2]
    theirs = scipy_stats.entropy(shares, [1 / 3] * 3) / math.log(3)
    assert from_uniform(shares) == pytest.approx(theirs)
    assert all(
        from_uniform(list(p)) == pytest.approx(theirs) for p in itertools.permutations(shares)
    )
