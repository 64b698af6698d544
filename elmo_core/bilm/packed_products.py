"""Products with a matrix that never changes, laid out once for the machine at hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional as F

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
ROWS = 32
"""How many rows a product is laid out for; it stays good from 4 to many hundreds."""

Product = Callable[[Tensor], Tensor]


def product(weight: Tensor, precision: str = "float32", bias: Tensor | None = None) -> Product:
    """x (…, in) ↦ x · weightᵀ + bias (…, out), float32, for a fixed `weight` (out, in).

    Under bfloat16 the factors are rounded to it, and so is each product; sums are not. On a CPU,
    oneDNN gets the weight packed in its own order, if that is quicker here than torch's default,
    which packs it anew in every call: up to twice as fast for the few rows of a time step.
    """
    dtype = PRECISIONS[precision]
    weight, bias = weight.detach().to(dtype), None if bias is None else bias.detach()
    packed = _pack(weight) if weight.device.type == "cpu" and packing_pays(dtype) else None

    def times(x: Tensor, bias: Tensor | None = None) -> Tensor:
        return F.linear(x, weight, bias) if packed is None else _packed_product(x, packed, bias)

    if dtype == torch.float32:
        return lambda x: times(x, bias)
    if bias is None:
        return lambda x: times(x.to(dtype)).float()
    return lambda x: times(x.to(dtype)).float().add_(bias)


@lru_cache
def packing_pays(dtype: torch.dtype) -> bool:
    """Whether oneDNN's packed product exists here, gives the same, and is quicker (milliseconds).

    Its operators are those that torch.compile's own CPU code calls.
    """
    x, weight = torch.randn(ROWS, 512).to(dtype), torch.randn(4096, 512).to(dtype)
    try:
        packed = _pack(weight)
        close = torch.allclose(_packed_product(x, packed), F.linear(x, weight), rtol=0.1, atol=0.1)
    except (AttributeError, NotImplementedError, RuntimeError):
        return False
    plain = _seconds(lambda: F.linear(x, weight))
    return close and _seconds(lambda: _packed_product(x, packed)) < plain


def _pack(weight: Tensor) -> Tensor:
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), ROWS)
    return packed


def _packed_product(x: Tensor, packed: Tensor, bias: Tensor | None = None) -> Tensor:
    result: Tensor = torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")
    return result


def _seconds(work: Callable[[], Tensor]) -> float:
    """The best of a few runs: what else the machine does should not decide."""
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
