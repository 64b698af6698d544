"""Attention between two padded sequences."""

from __future__ import annotations

import torch
from torch import Tensor


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Take the softmax over the last dimension where `mask` is True, and zero elsewhere.

    `mask` is broadcast. A row without any True gives zeros.
    """
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    return weights * mask


def align(a: Tensor, b: Tensor, a_mask: Tensor, b_mask: Tensor) -> tuple[Tensor, Tensor]:
    """Align two sequences softly, by dot product, both ways (Chen et al. 2017, equations 11–13).

    `a` (batch, m, dim), `b` (batch, n, dim) → ã (batch, m, dim): what each word of `a` sees in
    `b`, and b̃ (batch, n, dim), the reverse.
    """
    scores = a @ b.transpose(1, 2)
    a_sees = masked_softmax(scores, b_mask.unsqueeze(1)) @ b
    b_sees = masked_softmax(scores.transpose(1, 2), a_mask.unsqueeze(1)) @ a
    return a_sees, b_sees
