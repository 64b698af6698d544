"""A linear layer over the products of all pairs of two lists of vectors."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tasks.nn.autocast import for_products


def pair_products(a: Tensor, b: Tensor, weight: Tensor) -> Tensor:
    """Compute W (a_i ∘ b_j): `a` (m, dim), `b` (n, dim), `weight` (output, dim) → (m, n, output).

    Nothing is kept for the gradient but the arguments. While it is computed, and again in the
    backward pass, there are the products a_i ∘ b_j, (m, n, dim), or the matrices W diag(b_j),
    (n, output, dim), whichever are smaller: so `b` should be a few vectors at a time.
    """
    weight = for_products(weight)
    output: Tensor = _PairProducts.apply(a.to(weight.dtype), b.to(weight.dtype), weight)
    return output


class _PairProducts(Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(a, b, weight)
        if len(a) > len(weight):
            return (a @ _scaled(weight, b).t()).view(len(a), len(b), -1)
        return (a[:, None] * b) @ weight.t()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        a, b, weight = ctx.saved_tensors
        if len(a) > len(weight):
            d_rows = d_output.flatten(1)
            d_scaled = (d_rows.t() @ a).view(len(b), *weight.shape)
            d_b, d_weight = (d_scaled * weight).sum(1), (d_scaled * b[:, None]).sum(0)
            return d_rows @ _scaled(weight, b), d_b, d_weight
        d_products = d_output @ weight
        d_weight = d_output.flatten(0, 1).t() @ (a[:, None] * b).flatten(0, 1)
        return (d_products * b).sum(1), (d_products * a[:, None]).sum(0), d_weight


def _scaled(weight: Tensor, b: Tensor) -> Tensor:
    """Put W diag(b_j) for each j one below the other: (n * output, dim)."""
    return (b[:, None] * weight).flatten(0, 1)
