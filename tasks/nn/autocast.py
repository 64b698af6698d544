"""In which precision a hand-written gradient takes its products."""

from __future__ import annotations

import torch
from torch import Tensor


def for_products(x: Tensor) -> Tensor:
    """Return `x` in the precision that autocast, if it is on, wants of matrix products here."""
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x
