"""Word embeddings: from a GloVe text file, or learned from scratch."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from elmo_core.word_vectors import WordVectors
from tasks.task import DataError

PAD, UNK = 0, 1
INITIAL_STD = 0.1  # of vectors learned from scratch
GLOVE_STD = 0.4  # of GloVe's: small steps, or a low learning rate, would need epochs to get there

log = logging.getLogger(__name__)


class WordVocabulary:
    """A table from words to indices, in which 0 is padding and 1 any word that is not known.

    Without vectors, a word must occur twice in training to be known: words seen once are what
    the vector of the unknown is learned from. With vectors, every word that has one is known.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.index = {word: i for i, word in enumerate(words, start=2)}

    def __len__(self) -> int:
        return len(self.index) + 2

    def __call__(self, words: Iterable[str]) -> list[int]:
        return [self.index.get(word) or self.index.get(word.lower(), UNK) for word in words]


class Words:
    """A task's word input: a vocabulary, and the vectors if a file gave them.

    `dropout` is how often a word whose vector is learned from scratch is read as unknown in
    training.
    """

    def __init__(
        self,
        vocabulary: WordVocabulary,
        dim: int,
        vectors: Tensor | None = None,
        dropout: float = 0.0,
    ) -> None:
        self.vocabulary, self.dim, self.vectors, self.dropout = vocabulary, dim, vectors, dropout

    @classmethod
    def learned(cls, train: Counter[str], dim: int, dropout: float = 0.0) -> Words:
        """Let vectors be learned from scratch, for the words of the training text."""
        kept = (word for word, n in train.items() if n > 1)
        ranked = sorted(kept, key=lambda word: (-train[word], word))
        words = cls(WordVocabulary(ranked), dim, dropout=dropout)
        log.info("words: no vectors given, learning %d × %d", len(words.vocabulary), dim)
        return words

    @classmethod
    def from_file(cls, path: Path, train: Counter[str], others: Iterable[str]) -> Words:
        """Read vectors from a GloVe file, for the words of the training text and of `others`.

        `others` are the words of the text that is not trained on: a vector leaks no label. Raises
        DataError where the file has none of the words, and what WordVectors raises.
        """
        wanted = set(train) | set(others)
        found, vectors = WordVectors(path).table(wanted | {word.lower() for word in wanted})
        if not found:
            raise DataError(f"word vectors: {path} has none of the {len(wanted)} words of the data")
        words = cls(WordVocabulary(found), vectors.shape[1], vectors)
        known = sum(n for word, n in train.items() if words.vocabulary([word]) != [UNK])
        log.info(
            "words: %d rows × %d from %s, %.1f %% of the training tokens covered",
            *(len(found), words.dim, path, 100 * known / train.total()),
        )
        return words

    def state(self) -> dict[str, Any]:
        return {"words": list(self.vocabulary.index), "dim": self.dim}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Words:
        return cls(WordVocabulary(state["words"]), state["dim"])


class WordEmbedding(nn.Module):
    """A table from indices (batch, tokens) to vectors (batch, tokens, dim); padding is zero.

    Vectors from a file stand at indices 2 and up and stay fixed unless `trainable`; the unknown
    word is then a zero vector. Without a file, all vectors are learned, drawn with `std` at first;
    in training each occurrence of a known word is read as unknown with probability `words.dropout`
    (word dropout, as Bowman et al. 2016, section 3.1), so that the model learns to do without.
    """

    def __init__(self, words: Words, *, trainable: bool = False, std: float = INITIAL_STD) -> None:
        super().__init__()
        self.output_dim = words.dim
        self.p = words.dropout if words.vectors is None else 0.0  # as in nn.Dropout
        self.table = nn.Embedding(len(words.vocabulary), words.dim, padding_idx=PAD)
        with torch.no_grad():
            if words.vectors is None:
                nn.init.normal_(self.table.weight, std=std)
            else:
                self.table.weight.zero_()
                self.table.weight[2:] = words.vectors
            self.table.weight[PAD] = 0.0
        self.table.weight.requires_grad_(trainable or words.vectors is None)

    def forward(self, indices: Tensor) -> Tensor:
        if self.training and self.p:
            dropped = torch.rand(indices.shape, device=indices.device) < self.p
            indices = indices.masked_fill(dropped & (indices != PAD), UNK)
        return self.table(indices)
