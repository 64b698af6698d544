"""Self-attention in which a word may attend to nothing (Clark & Gardner 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tasks.nn.trilinear import Trilinear

SCORES = 2**24  # held at once: 64 MB, however long the sequences


class SelfAttention(nn.Module):
    """Attention of each word to the others: (batch, tokens, dim) → (batch, tokens, dim).

    Word i sees Σ_j p_ij x_j, p_ij = exp(s_ij) / (exp(b) + Σ_k exp(s_ik)), j and k being the other
    words of the sequence, s their trilinear similarity with i, and b learned.

    Rows i are worked off in portions of `scores` numbers: without gradients, memory grows with the
    length of the sequences, not with its square.
    """

    def __init__(self, dim: int, scores: int = SCORES) -> None:
        super().__init__()
        self.similarity = Trilinear(dim)
        self.nothing = nn.Parameter(torch.tensor(-1.0))
        self.scores = scores

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Let each word see the others; `mask` (batch, tokens) is True at real tokens."""
        batch, tokens, _ = x.shape
        step = max(1, self.scores // (batch * tokens))
        seen = [self._see(x, mask, i, min(i + step, tokens)) for i in range(0, tokens, step)]
        return torch.cat(seen, dim=1)

    def _see(self, x: Tensor, mask: Tensor, begin: int, end: int) -> Tensor:
        """Return what the words at begin ≤ i < end see."""
        scores = self.similarity(x[:, begin:end], x)
        places = torch.arange(x.shape[1], device=x.device)
        itself = places[begin:end].unsqueeze(1) == places
        scores = scores.masked_fill(itself | ~mask.unsqueeze(1), -torch.inf)
        nothing = self.nothing.to(scores.dtype).expand(*scores.shape[:2], 1)
        shares = torch.cat([scores, nothing], dim=2).softmax(2)
        return shares[:, :, :-1] @ x
