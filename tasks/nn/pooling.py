"""Pooling over the real tokens of padded sequences: (batch, tokens, dim) → (batch, dim)."""

from __future__ import annotations

import torch
from torch import Tensor


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Mean over tokens; `mask` (batch, tokens), at least one True a row."""
    weights = mask.unsqueeze(2).to(x.dtype)
    return (x * weights).sum(1) / weights.sum(1)


def masked_max(x: Tensor, mask: Tensor) -> Tensor:
    """Maximum over tokens; `mask` (batch, tokens), at least one True a row."""
    return x.masked_fill(~mask.unsqueeze(2), torch.finfo(x.dtype).min).amax(1)
