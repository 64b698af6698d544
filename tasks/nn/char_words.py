"""A word's vector from its spelling: a task's own character CNN, learned from scratch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core.dropout import Dropout

LONGEST = 50  # bytes; what is longer, web addresses mostly, is cut
PAD, CHARACTERS = 0, 257


def spell(sentences: Sequence[Sequence[str]], longest: int = LONGEST) -> Tensor:
    """Turn words into (batch, tokens, characters) int64, zero-padded.

    A character is a UTF-8 byte, as in the biLM, plus one: no vocabulary to keep, nothing unknown.
    """
    spelled = [[w.encode("utf-8", "surrogatepass")[:longest] for w in s] for s in sentences]
    lengths = np.zeros((len(spelled), max(map(len, spelled))), dtype=np.int64)
    for row, words in zip(lengths, spelled, strict=True):
        row[: len(words)] = list(map(len, words))
    ids = np.full((*lengths.shape, lengths.max()), PAD)
    everything = b"".join(word for words in spelled for word in words)
    there = np.arange(ids.shape[2]) < lengths[..., None]
    ids[there] = np.frombuffer(everything, np.uint8).astype(np.int64) + 1
    return torch.from_numpy(ids)


class CharCNN(nn.Module):
    """Convolutions over a word's characters, ReLU, maximum over positions.

    (batch, tokens, characters) from `spell` → (batch, tokens, output_dim), `filters` for each of
    `widths`; zero for padding tokens. Windows are centred on the characters and see zeros beyond
    the word's ends, so that a word of one letter has a vector and first letters look different.
    `dropout` falls on the characters' vectors, on each occurrence of a word by itself.
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

    def forward(self, characters: Tensor) -> Tensor:
        real = (characters != PAD).any(2)
        words = characters[real]
        where: Tensor | slice = slice(None)
        if not (self.training and self.dropout.p):  # what occurs several times is read once
            words, where = words.unique(dim=0, return_inverse=True)
        x = self.dropout(self.table(words)).transpose(1, 2)  # (words, char_dim, characters)
        padding = (words == PAD).unsqueeze(1)
        pooled = []
        for bank, width in zip(self.banks, self.widths, strict=True):
            features = bank(F.pad(x, ((width - 1) // 2, width // 2))).relu()
            pooled.append(features.masked_fill(padding, 0.0).amax(2))
        output = pooled[0].new_zeros(*real.shape, self.output_dim)
        output[real] = torch.cat(pooled, dim=1)[where]
        return output
