"""A layer over several vectors side by side, which are never put there."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from elmo_core.products import Linear, linear


class Merge(nn.Sequential):
    """The layer ReLU(W [x; y; …] + b): several (…, dim), as wide as they like → (…, output_dim).

    W starts from Glorot's uniform distribution, b at zero. Each part is multiplied by its columns
    of W: to copy them all side by side would take longer.
    """

    def __init__(self, input_dim: int, output_dim: int) -> None:
        layer = Linear(input_dim, output_dim)
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
        super().__init__(layer, nn.ReLU())

    def forward(self, *parts: Tensor) -> Tensor:
        """Read the parts, whose last dimensions add up to `input_dim`."""
        layer = cast(nn.Linear, self[0])
        first, *others = layer.weight.split([part.shape[-1] for part in parts], dim=1)
        merged = linear(parts[0], first, layer.bias)
        for part, weight in zip(parts[1:], others, strict=True):
            merged = merged + linear(part, weight)
        return merged.relu()
