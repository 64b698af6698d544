"""What comes out of an encoder is looked at before anything is built on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from elmo_core.encoder import Encoder, KeepsWords
from elmo_core.errors import EncoderError

_PROTOCOL = [*Encoder.__annotations__, *(name for name in vars(Encoder) if name[0] != "_")]
_REQUIRED = [name for name in _PROTOCOL if name != "parameters"]  # these can be counted


class Checked:
    """An encoder, anybody's, held to the protocol `elmo_core.Encoder`.

    Where the encoder can keep words (`KeepsWords`), so can this one.
    """

    def __init__(self, encoder: Any) -> None:
        """Take the encoder. Raises EncoderError where a part of the protocol is missing."""
        missing = [name for name in _REQUIRED if not hasattr(encoder, name)]
        if missing:
            kind = f"{type(encoder).__module__}.{type(encoder).__qualname__}"
            raise EncoderError(
                f"{kind} is not an encoder: it has no {' and no '.join(missing)} "
                "(docs/encoders.md shows one in ten lines)"
            )
        self.encoder = encoder
        self.name, self.layers, self.dim = str(encoder.name), encoder.layers, encoder.dim
        for key in ("layers", "dim"):
            value = getattr(encoder, key)
            if not isinstance(value, int) or value < 1:
                raise self._wrong(f"its {key} must be a whole number from 1, not {value!r}")
        if isinstance(encoder, KeepsWords):
            self.keep_words = encoder.keep_words

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the encoder itself. Raises EncoderError if it is none."""
        told = self.encoder.fingerprint
        if not isinstance(told, str | int) or told == "":
            raise self._wrong(f"its fingerprint must be a string (an attribute), not {told!r}")
        return str(told)

    @property
    def parameters(self) -> int:
        """Frozen numbers, as the encoder says, or else counted in the modules that it holds."""
        told = getattr(self.encoder, "parameters", None)
        if isinstance(told, int):
            return told
        modules = [self.encoder, *vars(self.encoder).values()]
        parameters = (p for m in modules if isinstance(m, nn.Module) for p in m.parameters())
        return sum(p.numel() for p in {id(p): p for p in parameters}.values())

    def to(self, device: torch.device | str) -> Checked:
        """Have the encoder compute there from now on."""
        self.encoder.to(device)
        return self

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return what the encoder gives for these sentences, once it is found good.

        Raises EncoderError, naming the encoder and what is wrong, for results of another number,
        type, size, precision or place, and for NaN and infinity.
        """
        results = self.encoder.encode(sentences)
        if not isinstance(results, list | tuple) or len(results) != len(sentences):
            found = f"{len(results)} results" if hasattr(results, "__len__") else repr(results)
            raise self._wrong(f"encode gave {found} for {len(sentences)} sentences")
        for words, layers in zip(sentences, results, strict=True):
            self._check(words, layers)
        return list(results)

    def _check(self, words: Sequence[str], layers: Any) -> None:
        """Raise EncoderError unless `layers` are finite float32 (layers, tokens, dim)."""
        where = f"for the {len(words)} tokens {' '.join(words[:4])!r}{' …' * (len(words) > 4)}"
        wanted = (self.layers, len(words), self.dim)
        if not isinstance(layers, Tensor):
            raise self._wrong(f"encode gave a {type(layers).__name__} {where}, not a torch.Tensor")
        if layers.shape != wanted:
            raise self._wrong(
                f"encode gave {tuple(layers.shape)} {where}, not {wanted}: layers, tokens, dim"
            )
        if layers.dtype != torch.float32 or layers.device.type != "cpu" or layers.requires_grad:
            found = f"{layers.dtype} on {layers.device}" + ", with gradient" * layers.requires_grad
            raise self._wrong(
                f"encode gave {found} {where}, not torch.float32 on the cpu, without gradient"
            )
        if not layers.isfinite().all():
            layer, token, _ = (~layers.isfinite()).nonzero()[0].tolist()
            raise self._wrong(f"NaN or infinity in layer {layer}, token {token} {where}")

    def _wrong(self, what: str) -> EncoderError:
        return EncoderError(f"encoder {self.name}: {what}")
