"""Dropout whose masks are drawn four times as fast as PyTorch's on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LEVELS = 2**16


class Dropout(nn.Dropout):
    """`torch.nn.Dropout` by `dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        return dropout(input, self.p, self.training)


def dropout(x: Tensor, p: float, training: bool = True) -> Tensor:
    """Set numbers of `x` to zero with probability `p`, and scale the others to keep the mean.

    The masks come from PyTorch's global generator. On a CPU each number takes 16 random bits, so
    that `p` is rounded to a multiple of 1/65536, by which the scale goes, too.

    >>> dropout(torch.ones(2), 0.5, training=False)
    tensor([1., 1.])
    """
    dropped = round(p * LEVELS)
    if x.device.type != "cpu" or not training or dropped in (0, LEVELS):
        return F.dropout(x, p, training)
    words = torch.empty(x.numel() // 4 + 1, dtype=torch.int64).random_(-(2**63), None)
    levels = words.view(torch.int16)[: x.numel()].view(x.shape)
    kept = levels >= dropped - LEVELS // 2
    return x * kept.to(x.dtype).mul_(LEVELS / (LEVELS - dropped))
