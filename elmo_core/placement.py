"""Placement: where ELMo enters a task's model, and with which sizes.

Peters et al. 2018, section 3.3: [x; ELMo] at the input of the task's recurrent layer, [h; ELMo'] at
its output, each place with weights of its own.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from elmo_core.choices import PLACEMENTS
from elmo_core.errors import did_you_mean
from elmo_core.mix import ScalarMix


class Placement(nn.Module):
    """One ScalarMix for each place at which ELMo enters a model.

    A head asks `input_dim` and `output_dim` for its sizes, calls `input` and `output` on its way,
    and never needs to know where ELMo is. Models that read two texts (question and context, premise
    and hypothesis) call the same Placement for both, so that both share w and γ.

    Args:
        where: `"none"`, `"input"`, `"output"` or `"input+output"`. With `"none"` nothing is
            learned, nothing is added, and the layers may be None everywhere.
        layers: how many layers the encoder has.
        dim: the size of a layer.
        choice, layer_norm, dropout, l2: go to each ScalarMix, which explains them.

    Raises:
        ValueError: an unknown place, or what ScalarMix refuses.

    Example:
        >>> import torch
        >>> from elmo_core import Placement
        >>> placement = Placement("input", layers=3, dim=256)
        >>> x, layers = torch.randn(2, 5, 100), torch.randn(2, 3, 5, 256)
        >>> mask = torch.ones(2, 5, dtype=torch.bool)
        >>> placement.input(x, layers, mask).shape, placement.input_dim(100)
        (torch.Size([2, 5, 356]), 356)
        >>> placement.output(x, layers, mask) is x  # no ELMo here
        True
    """

    def __init__(
        self,
        where: str,
        layers: int,
        dim: int,
        *,
        choice: str | int = "all",
        layer_norm: bool = False,
        dropout: float = 0.5,
        l2: float = 0.0,
    ) -> None:
        super().__init__()
        if where not in PLACEMENTS:
            hint = did_you_mean(where, PLACEMENTS)
            raise ValueError(f"unknown placement {where!r}: choose {', '.join(PLACEMENTS)}{hint}")
        self.where, self.dim = where, dim
        places = [] if where == "none" else where.split("+")
        self.mixes = nn.ModuleDict(
            {
                place: ScalarMix(layers, dim, choice, layer_norm=layer_norm, dropout=dropout, l2=l2)
                for place in places
            }
        )

    @property
    def active(self) -> bool:
        """Whether the encoder's layers are needed at all."""
        return len(self.mixes) > 0

    def input_dim(self, x: int) -> int:
        """Return the size of [x; ELMo], or x where ELMo does not enter at the input."""
        return x + self.dim if "input" in self.mixes else x

    def output_dim(self, h: int) -> int:
        """Return the size of [h; ELMo], or h where ELMo does not enter at the output."""
        return h + self.dim if "output" in self.mixes else h

    def input(self, x: Tensor, layers: Tensor | None, mask: Tensor) -> Tensor:
        """Append ELMo to the input, where it has a place there.

        Args:
            x: (batch, tokens, x), what the model's recurrent layer would read.
            layers: (batch, layers, tokens, dim), as ScalarMix takes them.
            mask: (batch, tokens) bool, true at real tokens.

        Returns:
            (batch, tokens, input_dim(x)), in the precision of `x`.

        Raises:
            ValueError: there are no layers, or layers or mask are of another shape or type.
        """
        return self._append("input", x, layers, mask)

    def output(self, h: Tensor, layers: Tensor | None, mask: Tensor) -> Tensor:
        """Append ELMo to the output, as `input` does: (batch, tokens, output_dim(h))."""
        return self._append("output", h, layers, mask)

    def _append(self, place: str, x: Tensor, layers: Tensor | None, mask: Tensor) -> Tensor:
        if place not in self.mixes:
            return x
        if layers is None:
            raise ValueError(f"placement {self.where!r} needs the encoder's layers, got None")
        return torch.cat([x, self.mixes[place](layers, mask).to(x.dtype)], dim=-1)

    def fixed(self) -> Placement:
        """Keep the first weights and drop nothing, for a model that learns nothing by gradient."""
        for mix in self._mixes().values():
            mix.dropout.p = 0.0
        return self.requires_grad_(False)

    def penalty(self) -> Tensor:
        """Sum λ Σ w² over the places: a scalar to add to the loss, 0 where there is no place."""
        return sum((mix.penalty() for mix in self._mixes().values()), start=torch.zeros(()))

    def summary(self) -> dict[str, dict[str, Any]]:
        """Return what was learned, `{place: {"weights": softmax of w, "gamma": γ}}`, as numbers."""
        return {
            place: {"weights": mix.weights().tolist(), "gamma": mix.gamma.item()}
            for place, mix in self._mixes().items()
        }

    def _mixes(self) -> dict[str, ScalarMix]:
        return dict(self.mixes.items())  # type: ignore[arg-type]
