"""Bidirectional attention between a context and a question (Seo et al. 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tasks.nn.attention import masked_softmax
from tasks.nn.trilinear import Trilinear


class BiAttention(nn.Module):
    """The layer [c; q̃; c∘q̃; c∘c̃]: (batch, m, dim), (batch, n, dim) → four (batch, m, dim).

    q̃ is what each word of the context sees in the question; c̃, one vector for the whole
    paragraph, its words weighted by the question word that suits each best.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.similarity = Trilinear(dim)
        self.output_dim = 4 * dim  # of the four side by side

    def forward(self, c: Tensor, q: Tensor, c_mask: Tensor, q_mask: Tensor) -> tuple[Tensor, ...]:
        """Attend both ways; `c_mask` (batch, m) and `q_mask` (batch, n) are True at real tokens, of
        which every row has at least one."""
        scores = self.similarity(c, q).masked_fill(~q_mask.unsqueeze(1), -torch.inf)
        to_question = scores.softmax(2) @ q
        weights = masked_softmax(scores.amax(2), c_mask)
        to_context = weights.unsqueeze(1) @ c
        return c, to_question, c * to_question, c * to_context
