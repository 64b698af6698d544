"""Pooling over the real tokens of padded sequences: (batch, tokens, dim) → (batch, dim)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tasks.nn.attention import masked_softmax


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Take the mean over tokens; `mask` (batch, tokens) has at least one True a row."""
    weights = mask.unsqueeze(2).to(x.dtype)
    return (x * weights).sum(1) / weights.sum(1)


def masked_max(x: Tensor, mask: Tensor) -> Tensor:
    """Take the maximum over tokens; `mask` (batch, tokens) has at least one True a row."""
    return x.masked_fill(~mask.unsqueeze(2), torch.finfo(x.dtype).min).amax(1)


def masked_min(x: Tensor, mask: Tensor) -> Tensor:
    """Take the minimum over tokens; `mask` (batch, tokens) has at least one True a row."""
    return -masked_max(-x, mask)


class SelfAttentivePooling(nn.Module):
    """The sum Σ_t softmax(x v)_t x_t, in which a learned vector v says which tokens count.

    McCann et al. 2017, section 5. No bias: a softmax would not notice it.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.score = nn.Linear(dim, 1, bias=False)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Pool over tokens; `mask` (batch, tokens) has at least one True a row."""
        weights = masked_softmax(self.score(x).squeeze(2), mask)
        return (weights.unsqueeze(1) @ x).squeeze(1)
