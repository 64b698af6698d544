"""Dropout whose mask costs little on a CPU."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

LEVELS = 1 << 16


class Dropout(nn.Dropout):
    """torch's Dropout; on a CPU, where that draws a number for each element, four share a draw.

    An element is dropped with probability p rounded to 1/65,536, and the scale is that one's.
    """

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or x.device.type != "cpu" or not 0 < self.p < 1:
            return super().forward(x)
        dropped = min(round(self.p * LEVELS), LEVELS - 1)
        kept = _random_levels(x.shape) >= dropped - LEVELS // 2
        return x * kept.to(x.dtype).mul_(LEVELS / (LEVELS - dropped))


def _random_levels(shape: torch.Size) -> Tensor:
    """int16 of this shape, all values alike, from torch's generator."""
    size = math.prod(shape)
    draws = torch.empty(-(-size // 4), dtype=torch.int64).random_(-(1 << 63), None)
    return draws.view(torch.int16)[:size].view(shape)
