"""ScalarMix: the task's own weighting of an encoder's layers, γ Σ_j softmax(w)_j h_j.

Peters et al. 2018, equation 1 and section 3.3. The layers are constants; w and γ are learned with
the task.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from elmo_core.choices import LAYER_CHOICES
from elmo_core.dropout import Dropout


class ScalarMix(nn.Module):
    """The weighted sum of an encoder's layers: (batch, layers, tokens, dim) → (batch, tokens, dim).

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
    as well, and a prediction does not depend on its company. A single layer ("top", an index) is
    normalised, too; the original leaves its top layer alone as it is, whatever `do_layer_norm`
    says (`use_top_only` in `bilm/elmo.py`): that is `layer_norm=False` here.

    Dropout falls on single elements, after the mix.

    Args:
        layers: how many layers the encoder has.
        dim: the size of a layer.
        choice: `"all"`, `"mean"`, `"top"`, or the index of one layer, from 0.
        layer_norm: whether each layer is normalised first.
        dropout: the share of elements that become 0 in training.
        l2: the paper's λ.

    Raises:
        ValueError: an unknown choice, an index out of range, or a negative λ.

    Example:
        >>> import torch
        >>> from elmo_core import ScalarMix
        >>> mix = ScalarMix(layers=3, dim=256, l2=0.001)
        >>> layers, mask = torch.randn(2, 3, 5, 256), torch.ones(2, 5, dtype=torch.bool)
        >>> mix(layers, mask).shape
        torch.Size([2, 5, 256])
        >>> loss = mix(layers, mask).square().mean() + mix.penalty()
        >>> loss.backward()
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
        super().__init__()
        if l2 < 0:
            raise ValueError(f"l2 (λ) must not be negative, got {l2}")
        self.layers, self.dim, self.l2, self.layer_norm = layers, dim, l2, layer_norm
        self.choice = _parse_choice(choice, layers)
        self.gamma = nn.Parameter(torch.ones(()))
        self.w = nn.Parameter(torch.zeros(layers)) if self.choice == "all" else None
        self.dropout = Dropout(dropout)

    def weights(self) -> Tensor:
        """Return the share of each layer, (layers,), summing to 1: softmax, uniform, or one-hot."""
        if self.w is not None:
            return self.w.softmax(dim=0)
        if isinstance(self.choice, int):
            layers = torch.arange(self.layers, device=self.gamma.device)
            return (layers == self.choice).to(self.gamma.dtype)
        return self.gamma.new_full((self.layers,), 1.0 / self.layers)

    def penalty(self) -> Tensor:
        """Compute λ Σ w², a scalar to add to the loss once a mix and step."""
        if self.w is None:
            return self.gamma.new_zeros(())
        return self.l2 * self.w.square().sum()

    def forward(self, layers: Tensor, mask: Tensor) -> Tensor:
        """Mix the layers of a batch; half precision is widened to that of γ first.

        Args:
            layers: (batch, layers, tokens, dim), as `elmo_core.pad` returns them.
            mask: (batch, tokens) bool, true at real tokens.

        Returns:
            (batch, tokens, dim), zeros outside the mask.

        Raises:
            ValueError: layers or mask are of another shape or type.
        """
        self._check(layers, mask)
        shares = self.weights()
        taken = [self.choice] if isinstance(self.choice, int) else range(self.layers)
        mixed = sum(shares[j] * self._layer(layers[:, j], mask) for j in taken)
        mixed = (self.gamma * mixed).masked_fill(~mask.unsqueeze(-1), 0.0)
        return self.dropout(mixed)

    def _check(self, layers: Tensor, mask: Tensor) -> None:
        """Raise ValueError, saying what was found, unless both are as `forward` takes them."""
        shape: tuple[int, ...] = tuple(getattr(layers, "shape", ()))
        if len(shape) != 4 or (shape[1], shape[3]) != (self.layers, self.dim):
            raise ValueError(
                f"expected layers of shape (batch, {self.layers}, tokens, {self.dim}), "
                f"got {_described(layers)}; elmo_core.pad makes them of what an encoder returns"
            )
        if getattr(mask, "shape", None) != (shape[0], shape[2]) or mask.dtype != torch.bool:
            raise ValueError(
                f"layers of shape {shape} take a mask of shape ({shape[0]}, {shape[2]}), "
                f"bool, true at real tokens, got {_described(mask)}"
            )

    def _layer(self, layer: Tensor, mask: Tensor) -> Tensor:
        layer = layer.to(self.gamma.dtype)
        if not self.layer_norm:
            return layer
        # In half precision a sentence's numbers are too many to be counted.
        wide = layer.to(torch.promote_types(layer.dtype, torch.float32))
        return _norm_sentences(wide, mask).to(layer.dtype)

    def extra_repr(self) -> str:
        return f"layers={self.layers}, dim={self.dim}, choice={self.choice!r}, l2={self.l2}"


def _described(given: object) -> str:
    """Say what was given in place of a tensor of the right shape and type."""
    if isinstance(given, Tensor):
        return f"{tuple(given.shape)}, {str(given.dtype).removeprefix('torch.')}"
    return f"a {type(given).__name__}"


def _parse_choice(choice: str | int, layers: int) -> str | int:
    """Return `"all"`, `"mean"`, or the index of the one layer that is meant."""
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


def _norm_sentences(layer: Tensor, mask: Tensor) -> Tensor:
    """Bring one layer, (batch, tokens, dim), to mean 0 and variance 1 within each sentence."""
    real = mask.unsqueeze(-1).to(layer.dtype)
    count = (real.sum(dim=(1, 2), keepdim=True) * layer.shape[-1]).clamp(min=1)
    centred = layer - (layer * real).sum(dim=(1, 2), keepdim=True) / count
    variance = (centred * real).square().sum(dim=(1, 2), keepdim=True) / count
    return centred * torch.rsqrt(variance + 1e-12)
