"""Products with matrices that are learned: values, and gradients through them.

All functions give what PyTorch's own operators give, to float32's rounding, for tensors of any
dtype and device; where `path.chosen()` is `onednn`, large float32 products on a CPU are oneDNN's.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from elmo_core.products import path

SMALLEST = 2**20
"""Multiplications of a product below which a call of oneDNN costs more than it saves."""


class Linear(nn.Linear):
    """`torch.nn.Linear` with its parameters, names and first values, by `linear`.

    >>> Linear(3, 2)(torch.ones(4, 3)).shape
    torch.Size([4, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute x · weightᵀ + bias, as `torch.nn.functional.linear` does, autocast included.

    Args:
        x: (…, in), of any strides.
        weight: (out, in).
        bias: (out,), or None.

    Returns:
        (…, out)

    >>> linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4))[0].tolist()
    [4.0, 4.0, 4.0, 4.0]
    """
    rows = x.shape[:-1].numel()
    on_cpu = x.device.type == weight.device.type == "cpu"
    autocast = on_cpu and torch.is_autocast_enabled("cpu") and weight.dtype == torch.float32
    dtype = torch.get_autocast_dtype("cpu") if autocast else x.dtype
    if not (autocast or _compiled(x, weight) or _quicker(x, weight, rows)):
        return F.linear(x, weight, bias)
    with torch.autocast("cpu", enabled=False):
        output: Tensor = _Linear.apply(x.reshape(rows, x.shape[-1]), weight, bias, dtype)
    return output.view(*x.shape[:-1], weight.shape[0])


def times(x: Tensor, weight: Tensor) -> Tensor:
    """Compute x · weightᵀ without a gradient: (rows, in), (out, in) → (rows, out)."""
    if _quicker(x, weight, len(x)):
        return _onednn(_rounded(x), weight)[: len(x)]
    if _compiled(x, weight):
        return (_rounded(x) @ weight.t())[: len(x)]
    return x @ weight.t()


def outer(left: Tensor, right: Tensor) -> Tensor:
    """Compute leftᵀ · right without a gradient: (rows, m), (rows, n) → (m, n)."""
    if _quicker(left, right, left.shape[1]):
        if left.shape[1] > 2 * right.shape[1]:  # oneDNN copies the first factor: the narrow one
            return outer(right, left).t()
        return _onednn(_rounded(left).t(), _rounded(right).t())
    if _compiled(left, right):
        return _rounded(left).t() @ _rounded(right)
    return left.t() @ right


class _Linear(Function):
    """Factors are rounded to `dtype`; gradients leave in it, and autograd turns them back."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, dtype: torch.dtype
    ) -> Tensor:
        rows, x, weight = len(x), _rounded(x, dtype), weight.to(dtype)
        bias = None if bias is None else bias.to(dtype)
        ctx.rows = rows
        ctx.save_for_backward(x, weight)
        output = _onednn(x, weight, bias) if x.dtype == torch.float32 else F.linear(x, weight, bias)
        return output[:rows]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        by_x, by_weight, by_bias, _ = ctx.needs_input_grad
        padded = _rounded(d_output.contiguous())
        return (
            times(padded, weight.t())[: ctx.rows] if by_x else None,
            outer(padded, x) if by_weight else None,
            d_output.sum(0) if by_bias else None,
            None,
        )


def _quicker(x: Tensor, other: Tensor, times: int) -> bool:
    """Tell whether oneDNN is to multiply them: `times` · the numbers of `other` are multiplied."""
    return (
        path.chosen() == "onednn"
        and x.dtype == other.dtype == torch.float32
        and x.device.type == other.device.type == "cpu"
        and times * other.numel() >= SMALLEST
    )


def _onednn(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    operator = torch.ops.mkldnn._linear_pointwise
    result: Tensor = operator(_dense(x), _dense(weight), bias, "none", [], "")
    return result


def _dense(matrix: Tensor) -> Tensor:
    """Copy a slice of another matrix's columns, for which oneDNN is a thousand times slower."""
    return matrix if matrix.is_contiguous() or matrix.t().is_contiguous() else matrix.contiguous()


def _compiled(x: Tensor, other: Tensor) -> bool:
    """Tell whether PyTorch hands their product to oneDNN, whatever `path` says."""
    return x.dtype == other.dtype == torch.bfloat16 and x.device.type == other.device.type == "cpu"


def _rounded(x: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Add rows of zeros until their number is one of 16 between two powers of two.

    oneDNN makes code for each shape that it meets, which takes milliseconds (tens of them in
    bfloat16 on processors with AMX) and half a megabyte.
    """
    unit = max(1, (1 << (len(x) - 1).bit_length()) // 32)
    missing = -len(x) % unit
    dtype = dtype or x.dtype
    if not missing:
        return x.to(dtype)
    padded = x.new_empty(len(x) + missing, *x.shape[1:], dtype=dtype)
    padded[: len(x)] = x
    padded[len(x) :] = 0
    return padded
