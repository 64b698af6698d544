"""Derivatives of gates: what autograd finds, also where they are written into part of a tensor."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from elmo_core.slopes import by_sigmoid, by_tanh


@pytest.mark.parametrize(("gate", "slope"), [(torch.sigmoid, by_sigmoid), (torch.tanh, by_tanh)])
def test_slopes(gate: Callable[[Tensor], Tensor], slope: Callable[..., Tensor]) -> None:
    x, factor = (
        torch.randn(3, 4, dtype=torch.double, requires_grad=True),
        torch.randn(3, 4).double(),
    )
    value = gate(x)
    (expected,) = torch.autograd.grad((value * factor).sum(), x)
    whole = torch.full((3, 2, 4), float("nan"), dtype=torch.double)
    torch.testing.assert_close(slope(factor, value.detach(), out=whole[:, 1]), expected)
    torch.testing.assert_close(whole[:, 1], expected)
    assert whole[:, 0].isnan().all()
    torch.testing.assert_close(slope(factor, value.detach()), expected)
