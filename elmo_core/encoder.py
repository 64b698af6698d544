"""What an encoder is: the protocol that all of `encoders/`, and anybody's own, keeps to, and the
check of what it is given to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor


class Encoder(Protocol):
    """A frozen featurizer: the same sentence gives the same numbers in any company.

    A class of one's own need not inherit from this one, and may leave `parameters` out:
    `elmo_core.encoders.checked.Checked`, which holds an encoder to this protocol, then counts them.

    Attributes:
        name: what a person calls it.
        layers: number of layers that `encode` returns for a sentence.
        dim: size of the vector that each layer has for a token.

    Example:
        >>> import torch
        >>> from elmo_core.encoders.checked import Checked
        >>> class Lengths:
        ...     name, layers, dim, fingerprint = "lengths", 1, 1, "lengths-1"
        ...     def to(self, device):
        ...         return self
        ...     def encode(self, sentences):
        ...         return [torch.tensor([[[float(len(w))] for w in words]]) for words in sentences]
        >>> encoder = Checked(Lengths())
        >>> encoder.encode([["The", "bank", "closed"]])[0].tolist()
        [[[3.0], [4.0], [6.0]]]
        >>> encoder.parameters
        0
    """

    name: str
    layers: int
    dim: int

    @property
    def fingerprint(self) -> str:
        """A hash that two encoders share only if they give equal numbers."""

    @property
    def parameters(self) -> int:
        """The count of frozen numbers that the vectors are computed from."""

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Compute the layers of each sentence.

        Args:
            sentences: lists of tokens, none of them empty.

        Returns:
            For each sentence, in order, a float32 tensor (layers, tokens, dim) on the CPU, without
            gradient.

        Raises:
            ValueError: a sentence or a token is empty; the message says which.
        """

    def to(self, device: torch.device | str) -> Encoder:
        """Compute on `device` from now on; results still arrive on the CPU. Return the encoder."""


@runtime_checkable
class KeepsWords(Protocol):
    """What an encoder may offer besides: to remember what it computes from a word alone."""

    def keep_words(self, words: Iterable[str]) -> None:
        """Compute that part of these words now, for good: `encode` then only looks it up."""


def check_sentences(sentences: Sequence[Sequence[str]]) -> None:
    """Raise ValueError, naming the place, where a sentence is empty or a token is no word."""
    for i, words in enumerate(sentences):
        if isinstance(words, str):
            raise ValueError(f"sentence {i} is a string: give a list of tokens")
        if len(words) == 0:
            raise ValueError(f"sentence {i} is empty")
        for j, word in enumerate(words):
            if not isinstance(word, str):
                raise ValueError(f"sentence {i}, token {j}: not a string but {word!r}")
            if not word:
                raise ValueError(f"sentence {i}, token {j}: an empty word")
