"""Products with a matrix that never changes, laid out once for the machine at hand."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_core.errors import OptionsError
from elmo_core.products import path

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
ROWS = 32
"""How many rows a product is laid out for; it stays good from 4 to many hundreds."""

Product = Callable[[Tensor], Tensor]


def check_precision(name: str) -> None:
    """Raise OptionsError where products are not computed in a precision of this name."""
    if name not in PRECISIONS:
        raise OptionsError(f"precision must be one of {', '.join(PRECISIONS)}, got {name!r}")


def product(weight: Tensor, precision: str = "float32", bias: Tensor | None = None) -> Product:
    """Lay `weight` out and return the function x ↦ x · weightᵀ + bias, in float32.

    Args:
        weight: (out, in); it is not changed afterwards.
        precision: `float32` or `bfloat16`. Under bfloat16 the factors are rounded to it, and so is
            each product; sums are not. A CPU that has no bfloat16 multiplies the rounded factors
            in float32.
        bias: (out,), or None.

    Returns:
        A function from (…, in) to (…, out), float32. On a CPU where `path.packs()`, oneDNN gets the
        weight packed in its own order: up to twice as fast for the few rows of a time step.

    >>> product(torch.ones(4, 3))(torch.ones(2, 3))[0].tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    dtype, on_cpu = PRECISIONS[precision], weight.device.type == "cpu"
    emulated = on_cpu and dtype == torch.bfloat16 and not path.multiplies_bfloat16()
    held = torch.float32 if emulated else dtype
    weight, bias = weight.detach().to(dtype).to(held), None if bias is None else bias.detach()
    packed = _pack(weight) if on_cpu and path.packs() else None

    def times(x: Tensor, bias: Tensor | None = None) -> Tensor:
        return F.linear(x, weight, bias) if packed is None else _packed_product(x, packed, bias)

    if dtype == torch.float32:
        return lambda x: times(x, bias)
    if bias is None:
        return lambda x: times(x.to(dtype).to(held)).to(dtype).float()
    return lambda x: times(x.to(dtype).to(held)).to(dtype).float().add_(bias)


def _pack(weight: Tensor) -> Tensor:
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), ROWS)
    return packed


def _packed_product(x: Tensor, packed: Tensor, bias: Tensor | None) -> Tensor:
    result: Tensor = torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")
    return result
