"""The ℓ2 penalty: its value and its gradient."""

from __future__ import annotations

import torch

from tasks.nn.penalty import sum_of_squares


def test_value_and_gradient() -> None:
    a = torch.tensor([[1.0, -2.0], [0.0, 3.0]], requires_grad=True)
    b = torch.tensor([4.0], requires_grad=True)
    penalty = sum_of_squares([a, b])
    assert penalty.item() == 30
    (0.5 * penalty).backward()
    assert a.grad is not None
    assert a.grad.tolist() == a.tolist()
    assert b.grad is not None
    assert b.grad.tolist() == b.tolist()


def test_zeros_have_no_slope() -> None:
    x = torch.zeros(3, requires_grad=True)
    sum_of_squares([x]).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0, 0, 0]


def test_gradients_by_differences() -> None:
    tensors = [torch.randn(3, 2, dtype=torch.double, requires_grad=True) for _ in range(2)]
    assert torch.autograd.gradcheck(lambda *x: sum_of_squares(x), tensors)
