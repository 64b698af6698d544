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


def product(weight: Tensor, precision: str = "float32") -> Product:
    """x (…, in) ↦ x · weightᵀ (…, out), float32, for a `weight` (out, in) that stays as it is.

    Under bfloat16 the factors are rounded to it, and so is each result; sums are not. On a CPU,
    oneDNN gets the weight packed in its own order, if that is quicker here than torch's default,
    which packs it anew in every call: up to twice as fast for the few rows of a time step.
    """
    dtype = PRECISIONS[precision]
    weight = weight.detach().to(dtype)
    if weight.device.type == "cpu" and packing_pays(dtype):
        packed = _pack(weight)
        return lambda x: _packed_product(x.to(dtype), packed).float()
    return lambda x: F.linear(x.to(dtype), weight).float()


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


def _packed_product(x: Tensor, packed: Tensor) -> Tensor:
    result: Tensor = torch.ops.mkldnn._linear_pointwise(x, packed, None, "none", [], "")
    return result


def _seconds(work: Callable[[], Tensor]) -> float:
    """The best of a few runs: what else the machine does should not decide."""
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
