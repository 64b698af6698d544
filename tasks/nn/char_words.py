"""A word's vector from its spelling: a task's own character CNN, learned from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core.dropout import Dropout
from elmo_core.products import linear
from tasks.nn.padding import pad

LONGEST = 50  # bytes; what is longer, web addresses mostly, is cut
PAD, CHARACTERS = 0, 257


def spell(sentences: Sequence[Sequence[str]], longest: int = LONGEST) -> tuple[Tensor, Tensor]:
    """Spell each distinct word once: (words, characters) int64, zero-padded, and which of them
    each token is, (batch, tokens), counted from 1; 0 is padding.

    A character is a UTF-8 byte, as in the biLM, plus one: no vocabulary to keep, nothing unknown.
    """
    cut = [[word.encode("utf-8", "surrogatepass")[:longest] for word in s] for s in sentences]
    distinct = sorted({word for words in cut for word in words})
    row = {word: i for i, word in enumerate(distinct, start=1)}
    lengths = np.array([len(word) for word in distinct])
    ids = np.full((len(distinct), lengths.max()), PAD)
    there = np.arange(ids.shape[1]) < lengths[:, None]
    ids[there] = np.frombuffer(b"".join(distinct), np.uint8).astype(np.int64) + 1
    return torch.from_numpy(ids), pad([[row[word] for word in words] for words in cut])


class CharCNN(nn.Module):
    """Convolutions over a word's characters, ReLU, maximum over positions.

    What `spell` gives → (batch, tokens, output_dim), `filters` for each of `widths`; zero for
    padding tokens. Windows are centred on the characters and see zeros beyond the word's ends, so
    that a word of one letter has a vector and first letters look different. `dropout` falls on the
    characters' vectors, on each occurrence of a word by itself.
    """

    def __init__(
        self, *, char_dim: int, filters: int, widths: Sequence[int], dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.output_dim, self.widths = filters * len(widths), tuple(widths)
        self.table = nn.Embedding(CHARACTERS, char_dim, padding_idx=PAD)
        banks = [nn.Conv1d(char_dim, filters, width) for width in widths]
        for bank in banks:
            nn.init.xavier_uniform_(bank.weight)
        self.banks = nn.ModuleList(banks)
        self.dropout = Dropout(dropout)

    def forward(self, words: Tensor, where: Tensor) -> Tensor:
        """Read `words` (words, characters), and put their vectors `where` (batch, tokens) they
        stand."""
        words = F.pad(words, (0, 0, 1, 0))  # row 0 is padding
        if self.training and self.dropout.p:
            return self._read(words[where.flatten()]).unflatten(0, where.shape)
        return self._read(words)[where]  # what occurs several times is read once

    def _read(self, words: Tensor) -> Tensor:
        """Compute the vectors of words: (words, characters) → (words, output_dim)."""
        vectors, there = self.dropout(self.table(words)), words != PAD
        pooled = self._products if words.device.type == "cpu" else self._convolutions
        return pooled(vectors, there)

    def _convolutions(self, vectors: Tensor, there: Tensor) -> Tensor:
        """Pool the filters over characters (words, characters, char_dim) that are `there`."""
        pooled = []
        for bank, width in zip(self.banks, self.widths, strict=True):
            x = F.pad(vectors.transpose(1, 2), ((width - 1) // 2, width // 2))
            pooled.append(bank(x).relu().masked_fill(~there.unsqueeze(1), 0.0).amax(2))
        return torch.cat(pooled, dim=1)

    def _products(self, vectors: Tensor, there: Tensor) -> Tensor:
        """Do the same by a product with the windows of all characters that are there.

        On a CPU it is several times as fast: most places are padding. To find those that are not,
        a GPU would have to be waited for.
        """
        widest = max(self.widths)
        before, after = (widest - 1) // 2, widest // 2
        rows = F.pad(vectors, (0, 0, before, after)).flatten(0, 1)
        word, place = there.nonzero(as_tuple=True)
        first = (word * (there.shape[1] + widest - 1) + place).unsqueeze(1)  # of a window's rows
        pooled = []
        for bank, width in zip(self.banks, self.widths, strict=True):
            filters = cast(nn.Conv1d, bank)
            begin = before - (width - 1) // 2
            windows = F.embedding(first + torch.arange(begin, begin + width), rows).flatten(1)
            weight = filters.weight.transpose(1, 2).flatten(1)
            features = linear(windows, weight, filters.bias)
            zeros = features.new_zeros(len(vectors), len(weight))  # the least that ReLU gives
            filled = word.unsqueeze(1).expand_as(features)
            pooled.append(zeros.scatter_reduce(0, filled, features, "amax"))
        return torch.cat(pooled, dim=1)
