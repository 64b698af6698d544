"""Several encoders as one: their vectors side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_core.encoder import Encoder
from elmo_core.encoders.checked import Checked
from elmo_core.errors import OptionsError


class ConcatEncoder:
    """Encoders as one: its layer j is [first's layer j; second's layer j; …], in that order.

    All must have the same number of layers, or one layer: that one then stands beside every layer
    of the others, as the token does in a biLM's input. Raises OptionsError otherwise.
    """

    def __init__(self, **parts: Encoder) -> None:
        if len(parts) < 2:
            raise OptionsError(f"concat takes two encoders or more, got {len(parts)}")
        self.parts = [Checked(part) for part in parts.values()]
        self.layers = max(part.layers for part in self.parts)
        if any(part.layers not in (1, self.layers) for part in self.parts):
            found = ", ".join(f"{part.name} has {part.layers}" for part in self.parts)
            raise OptionsError(f"concat: encoders must agree in layers, or have one: {found}")
        self.dim = sum(part.dim for part in self.parts)
        self.name = "+".join(part.name for part in self.parts)
        self.parameters = sum(part.parameters for part in self.parts)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the parts' fingerprints, in order."""
        parts = "\n".join(part.fingerprint for part in self.parts)
        return hashlib.sha256(f"concat\n{parts}".encode()).hexdigest()

    def to(self, device: torch.device | str) -> ConcatEncoder:
        for part in self.parts:
            part.to(device)
        return self

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return float32 (layers, tokens, dim) a sentence, dim the sum of the parts' sizes."""
        encoded = [part.encode(sentences) for part in self.parts]
        return [
            torch.cat([layers.expand(self.layers, -1, -1) for layers in of_one], dim=-1)
            for of_one in zip(*encoded, strict=True)
        ]
