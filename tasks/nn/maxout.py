"""Maxout (Goodfellow et al. 2013)."""

from __future__ import annotations

from torch import Tensor, nn

from elmo_core.products import Linear


class Maxout(nn.Module):
    """The largest of `pool` linear functions: (…, input_dim) → (…, output_dim)."""

    def __init__(self, input_dim: int, output_dim: int, pool: int) -> None:
        super().__init__()
        self.linear = Linear(input_dim, output_dim * pool)
        self.pool = pool

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).unflatten(-1, (-1, self.pool)).amax(-1)
