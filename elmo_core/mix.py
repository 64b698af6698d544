"""ScalarMix: the task's own weighting of an encoder's layers, γ Σ_j softmax(w)_j h_j.

Peters et al. 2018, equation 1 and section 3.3. The layers are constants; w and γ are learned with
the task.
"""

import torch
from torch import Tensor, nn

from elmo_core.choices import LAYER_CHOICES
from elmo_core.dropout import Dropout


class ScalarMix(nn.Module):
    """(batch, layers, tokens, dim) → (batch, tokens, dim).

    `choice` says which layers take part:

    - ``"all"``: γ Σ_j softmax(w)_j h_j, with w = 0 and γ = 1 at the start;
    - ``"mean"``: γ times the plain average, without w;
    - ``"top"`` or an index: γ h_j, without w. γ must stay: without it the paper (A.2) saw SRL
      diverge and SNLI fall below its baseline.

    `l2` is the paper's λ: `penalty()` is λ Σ w² on the raw w, before the softmax, without ½ and
    without γ; a large λ pulls the softmax towards the average. Where there is no w, there is no
    penalty.

    `layer_norm` brings each layer of each *sentence* to mean 0 and variance 1 before mixing: one
    scalar mean and variance over the sentence's real tokens × dim, without gain and bias. The
    original takes these statistics over the whole batch, so that a sentence's vectors depend on
    whatever stands beside it, at test time too. Per sentence, the scale of a layer is removed just
    as well, and a prediction does not depend on its company.

    Dropout falls on single elements, after the mix.
    """

    def __init__(
        self,
        layers: int,
        dim: int,
        choice: str | int = "all",
        *,
        layer_norm: bool = False,
        dropout: float = 0.5,
        l2: float = 0.0,
    ) -> None:
        """Raise ValueError for an unknown choice, an index out of range, or a negative λ."""
        super().__init__()
        if l2 < 0:
            raise ValueError(f"l2 (λ) must not be negative, got {l2}")
        self.layers, self.dim, self.l2, self.layer_norm = layers, dim, l2, layer_norm
        self.choice = _parse_choice(choice, layers)
        self.gamma = nn.Parameter(torch.ones(()))
        self.w = nn.Parameter(torch.zeros(layers)) if self.choice == "all" else None
        self.dropout = Dropout(dropout)

    def weights(self) -> Tensor:
        """The share of each layer, (layers,), summing to 1: softmaxed, uniform, or one-hot."""
        if self.w is not None:
            return self.w.softmax(dim=0)
        if isinstance(self.choice, int):
            return torch.eye(self.layers)[self.choice].to(self.gamma)
        return self.gamma.new_full((self.layers,), 1.0 / self.layers)

    def penalty(self) -> Tensor:
        """λ Σ w², a scalar to add to the loss once per mix and step."""
        if self.w is None:
            return self.gamma.new_zeros(())
        return self.l2 * self.w.square().sum()

    def forward(self, layers: Tensor, mask: Tensor) -> Tensor:
        """Mix (batch, layers, tokens, dim) under `mask` (batch, tokens), true at real tokens.

        Half-precision layers are widened to the precision of γ first. Positions outside the mask
        come out as zeros. Raises ValueError where the sizes do not fit.
        """
        if layers.dim() != 4 or (layers.shape[1], layers.shape[3]) != (self.layers, self.dim):
            raise ValueError(
                f"expected layers of shape (batch, {self.layers}, tokens, {self.dim}), "
                f"got {tuple(layers.shape)}"
            )
        shares = self.weights()
        taken = [self.choice] if isinstance(self.choice, int) else range(self.layers)
        mixed = sum(shares[j] * self._layer(layers[:, j], mask) for j in taken)
        mixed = (self.gamma * mixed).masked_fill(~mask.unsqueeze(-1), 0.0)
        return self.dropout(mixed)

    def _layer(self, layer: Tensor, mask: Tensor) -> Tensor:
        layer = layer.to(self.gamma.dtype)
        return _norm_sentences(layer, mask) if self.layer_norm else layer

    def extra_repr(self) -> str:
        return f"layers={self.layers}, dim={self.dim}, choice={self.choice!r}, l2={self.l2}"


def _parse_choice(choice: str | int, layers: int) -> str | int:
    """`"all"`, `"mean"`, or the index of the one layer meant."""
    if choice in ("all", "mean"):
        return choice
    if choice == "top":
        return layers - 1
    if str(choice).isdecimal():
        if int(choice) < layers:
            return int(choice)
        raise ValueError(f"layer {choice} does not exist: the encoder has layers 0 to {layers - 1}")
    names = ", ".join(LAYER_CHOICES)
    raise ValueError(f"unknown layers {choice!r}: choose {names}, or an index below {layers}")


def _norm_sentences(layer: Tensor, mask: Tensor, eps: float = 1e-12) -> Tensor:
    """One layer, (batch, tokens, dim), brought to mean 0 and variance 1 within each sentence."""
    real = mask.unsqueeze(-1).to(layer.dtype)
    count = (real.sum(dim=(1, 2), keepdim=True) * layer.shape[-1]).clamp(min=1)
    centred = layer - (layer * real).sum(dim=(1, 2), keepdim=True) / count
    variance = (centred * real).square().sum(dim=(1, 2), keepdim=True) / count
    return centred * torch.rsqrt(variance + eps)
