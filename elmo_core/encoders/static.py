"""Word vectors without context, such as GloVe: one layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from elmo_core.encoder import check_sentences
from elmo_core.word_vectors import WordVectors


class StaticEncoder:
    """Word vectors: each word's row of a text file, whatever stands around it.

    A word that has no row is looked up in lower case; one that has none then, either, is zeros.
    Raises what WordVectors raises.
    """

    layers = 1

    def __init__(self, vectors: str | Path | None) -> None:
        self.vectors = WordVectors(vectors)
        self.dim = self.vectors.dim
        self.name = self.vectors.path.stem
        self.fingerprint = f"static-{self.vectors.sha256}"
        self.parameters = len(self.vectors) * self.dim

    def to(self, device: torch.device | str) -> StaticEncoder:
        """Do nothing: rows stay where they are, since nothing is computed."""
        return self

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return float32 (1, tokens, dim) for each sentence, on the CPU."""
        check_sentences(sentences)
        return [self.vectors(words).unsqueeze(0) for words in sentences]
