"""The search among candidates, against brute force."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tasks.nn.nearest import NONE, nearest


def brute_force(vector: Tensor, table: Tensor, candidates: list[int]) -> tuple[int, float]:
    best = max(candidates, key=lambda row: float(F.cosine_similarity(vector, table[row], dim=0)))
    return best, float(F.cosine_similarity(vector, table[best], dim=0))


def test_the_search_equals_brute_force() -> None:
    table = torch.randn(40, 8) * torch.rand(40, 1) * 100
    seen = torch.rand(40) < 0.8
    seen[NONE] = True  # the last row, too, which NONE must not be taken for
    vectors = torch.randn(60, 8)
    rows = [torch.randperm(40)[: i % 9].tolist() for i in range(60)]
    candidates = torch.tensor([row + [NONE] * (9 - len(row)) for row in rows])
    answered = 0
    for vector, row, found, cosine in zip(
        vectors, rows, *nearest(vectors, candidates, table, seen), strict=True
    ):
        known = [one for one in row if seen[one]]
        if not known:
            assert (found, cosine) == (NONE, 0)
            continue
        best, similarity = brute_force(vector, table, known)
        assert found == best
        assert cosine == pytest.approx(similarity, abs=1e-5)
        answered += 1
    assert answered > 40
