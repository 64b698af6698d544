"""The mean of what several models say: for `Task.combine`."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor


def mean(scores: Iterable[Tensor]) -> Tensor:
    """Take the mean of tensors of one shape, in float32; it is −inf where one of them is."""
    return torch.stack([tensor.float() for tensor in scores]).mean(0)
