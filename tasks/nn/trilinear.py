"""Trilinear similarity (Seo et al. 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Trilinear(nn.Module):
    """The score w · [a; b; a∘b] of every pair: (batch, m, dim), (batch, n, dim) → (batch, m, n).

    Nothing of size m × n × dim is made. No bias: a softmax over the scores would not notice it.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        bound = (3 / dim) ** 0.5  # Glorot's for a vector
        weights = (torch.empty(dim).uniform_(-bound, bound) for _ in range(3))
        self.left, self.right, self.both = (nn.Parameter(weight) for weight in weights)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        pairs = (a * self.both) @ b.transpose(1, 2)
        return pairs + (a @ self.left).unsqueeze(2) + (b @ self.right).unsqueeze(1)
