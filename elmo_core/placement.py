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
    """One ScalarMix for each place that `where` names: `none`, `input`, `output`, `input+output`.

    A head asks `input_dim` and `output_dim` for its sizes, calls `input` and `output` on its way,
    and never needs to know where ELMo is. Models that read two texts (question and context, premise
    and hypothesis) call the same Placement for both, so that both share w and γ.

    `layers` and `dim` are the encoder's; the other arguments go to each ScalarMix. With `none`
    nothing is learned, nothing is added, and the layers may be None everywhere.
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
        """Raise ValueError for an unknown place; see ScalarMix for the rest."""
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
        """The size of [x; ELMo], or x."""
        return x + self.dim if "input" in self.mixes else x

    def output_dim(self, h: int) -> int:
        """The size of [h; ELMo], or h."""
        return h + self.dim if "output" in self.mixes else h

    def input(self, x: Tensor, layers: Tensor | None, mask: Tensor) -> Tensor:
        """(batch, tokens, x) → (batch, tokens, input_dim(x)); `layers` as ScalarMix takes them."""
        return self._append("input", x, layers, mask)

    def output(self, h: Tensor, layers: Tensor | None, mask: Tensor) -> Tensor:
        """(batch, tokens, h) → (batch, tokens, output_dim(h)); `layers` as ScalarMix takes them."""
        return self._append("output", h, layers, mask)

    def _append(self, place: str, x: Tensor, layers: Tensor | None, mask: Tensor) -> Tensor:
        if place not in self.mixes:
            return x
        if layers is None:
            raise ValueError(f"placement {self.where!r} needs the encoder's layers, got None")
        return torch.cat([x, self.mixes[place](layers, mask).to(x.dtype)], dim=-1)

    def penalty(self) -> Tensor:
        """Σ over the places of λ Σ w², a scalar to add to the loss; 0 where there is no place."""
        return sum((mix.penalty() for mix in self._mixes().values()), start=torch.zeros(()))

    def summary(self) -> dict[str, dict[str, Any]]:
        """What was learned: `{place: {"weights": softmaxed w, "gamma": γ}}`, as plain numbers."""
        return {
            place: {"weights": mix.weights().tolist(), "gamma": mix.gamma.item()}
            for place, mix in self._mixes().items()
        }

    def _mixes(self) -> dict[str, ScalarMix]:
        return dict(self.mixes.items())  # type: ignore[arg-type]
