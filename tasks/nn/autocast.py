"""In which precision a hand-written gradient takes its products."""

from __future__ import annotations

import torch
from torch import Tensor


def for_products(x: Tensor) -> Tensor:
    """`x` in the precision that autocast wants of matrix products here, if it is on at all."""
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x
