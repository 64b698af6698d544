"""Which tokens of a padded batch are real, and rows that are taken."""

from __future__ import annotations

import torch

from tasks.nn.padding import real_rows, taken

MASK = torch.tensor([[1, 1, 0], [1, 0, 0], [1, 1, 1]], dtype=torch.bool)


def test_real_tokens_are_found_in_their_order() -> None:
    tokens = torch.arange(9).view(3, 3)
    found = tokens.flatten()[real_rows(MASK, MASK.sum(1))]
    assert found.tolist() == tokens[MASK].tolist() == [0, 1, 3, 6, 7, 8]


def test_rows_and_their_gradient() -> None:
    x = torch.randn(5, 3, dtype=torch.double, requires_grad=True)
    rows = torch.tensor([3, 0, 4])
    assert torch.equal(taken(x, rows), x[rows])
    assert torch.autograd.gradcheck(taken, (x, rows))
