"""Variational dropout (Gal & Ghahramani 2016)."""

from __future__ import annotations

from torch import Tensor, nn

from elmo_core.dropout import dropout


class VariationalDropout(nn.Module):
    """Dropout of the same features at every step of a sequence: (batch, tokens, dim) → same."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        return x * dropout(x.new_ones(x.shape[0], 1, x.shape[2]), self.p)
