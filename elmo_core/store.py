"""FeatureStore: the layers of each distinct sentence, computed once and kept in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from elmo_core.encoder import Encoder

Sentence = tuple[str, ...]
CHUNK = 512  # sentences between two reports of progress


def half_of_memory() -> int:
    """Half of this machine's memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


class FeatureStore:
    """What an encoder says about sentences, looked up rather than computed again.

    `budget` bounds the bytes kept; sentences beyond it are encoded each time they are asked for.
    """

    def __init__(self, encoder: Encoder, budget: int | None = None) -> None:
        self.encoder = encoder
        self.budget = half_of_memory() if budget is None else budget
        self._kept: dict[Sentence, Tensor] = {}

    def bytes_for(self, sentences: Iterable[Sequence[str]]) -> int:
        return sum(4 * self.encoder.layers * self.encoder.dim * len(s) for s in sentences)

    def fill(
        self,
        sentences: Iterable[Sequence[str]],
        progress: Callable[[list[list[Sentence]]], Iterable[list[Sentence]]] = iter,
    ) -> bool:
        """Encode what is not kept yet; `progress` wraps the chunks. False if it is over budget."""
        missing = {tuple(s) for s in sentences} - self._kept.keys()
        ordered = sorted(missing, key=lambda s: (len(s), s))
        chunks = [ordered[i : i + CHUNK] for i in range(0, len(ordered), CHUNK)]
        used = self.bytes_for(self._kept)
        for chunk in progress(chunks):
            used += self.bytes_for(chunk)
            if used > self.budget:
                return False
            self._kept.update(zip(chunk, self.encoder.encode(chunk), strict=True))
        return True

    def layers(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """float32 (sentences, layers, tokens, dim) on the CPU, zero-padded to the longest."""
        keys = [tuple(s) for s in sentences]
        live = [key for key in dict.fromkeys(keys) if key not in self._kept]
        fresh = dict(zip(live, self.encoder.encode(live), strict=True))
        rows = [fresh[key] if key in fresh else self._kept[key] for key in keys]
        longest = max(row.shape[1] for row in rows)
        padded = torch.zeros(len(rows), self.encoder.layers, longest, self.encoder.dim)
        for target, row in zip(padded, rows, strict=True):
            target[:, : row.shape[1]] = row
        return padded
