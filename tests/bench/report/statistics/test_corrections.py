"""Holm's correction."""

from __future__ import annotations

import pytest

from bench.report.statistics import holm


def test_holm_by_hand_and_by_definition() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    ps = [0.2, 0.001, 0.04, 0.013, 0.9]
    for level in (0.01, 0.05, 0.1, 0.5):
        rejected, left = set[int](), sorted(range(5), key=ps.__getitem__)
        for rank, i in enumerate(left):  # step down until the first that is not small enough
            if ps[i] > level / (5 - rank):
                break
            rejected.add(i)
        assert {i for i, p in enumerate(holm(ps)) if p <= level} == rejected
