"""Derivatives of gates from their values, each in one pass over memory."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def by_sigmoid(factor: Tensor, gate: Tensor, out: Tensor | None = None) -> Tensor:
    """Compute factor · dσ(x)/dx = factor · gate · (1 − gate), where gate = σ(x), into `out`.

    >>> by_sigmoid(torch.ones(1), torch.tensor([0.5]))
    tensor([0.2500])
    """
    return _into(out, torch.ops.aten.sigmoid_backward, factor, gate)


def by_tanh(factor: Tensor, gate: Tensor, out: Tensor | None = None) -> Tensor:
    """Compute factor · dtanh(x)/dx = factor · (1 − gate²), where gate = tanh(x), into `out`.

    >>> by_tanh(torch.ones(1), torch.tensor([0.5]))
    tensor([0.7500])
    """
    return _into(out, torch.ops.aten.tanh_backward, factor, gate)


def _into(out: Tensor | None, operator: Any, factor: Tensor, gate: Tensor) -> Tensor:
    result: Tensor
    if out is None:
        result = operator(factor, gate)
    elif out.device.type == "mps":  # some versions leave an `out` with strides as it was
        result = out.copy_(operator(factor, gate))
    else:
        result = operator.grad_input(factor, gate, grad_input=out)
    return result
