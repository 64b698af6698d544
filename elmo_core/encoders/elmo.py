"""ElmoEncoder: a frozen biLM that turns sentences into layers."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import torch
from torch import Tensor

from elmo_core import weights
from elmo_core.bilm import BiLM
from elmo_core.chars import boundary_ids, check_sentences, word_ids
from elmo_core.precision import exact_float32

Sentences = Sequence[Sequence[str]]

BATCH_TOKENS = 4096
"""Tokens in a batch: bounds the memory of the LSTMs, 64 kB a token with 4,096 cells."""


class ElmoEncoder:
    """Each sentence from zero state, without its boundaries, the same in any company.

    The published program carried its state from batch to batch, so that vectors depended on what
    was read before; here a sentence's vectors depend on the sentence alone. Whoever needs the state
    calls `bilm` directly.
    """

    def __init__(self, bilm: BiLM, name: str) -> None:
        self.bilm = bilm.eval().requires_grad_(False)
        self.name, self.layers, self.dim = name, bilm.layers, bilm.dim

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of options and weights."""
        return weights.fingerprint(self.bilm)

    def to(self, device: torch.device | str) -> "ElmoEncoder":
        """Compute there from now on; results still arrive on the CPU."""
        self.bilm.to(device)
        return self

    @torch.no_grad()
    def encode(self, sentences: Sentences) -> list[Tensor]:
        """Float32 (layers, tokens, dim) for each sentence, in order, on the CPU.

        Raises ValueError, saying where, for an empty sentence or an empty word.
        """
        check_sentences(sentences)
        results: list[Tensor] = [torch.empty(0)] * len(sentences)
        device = self.bilm.char_cnn.embedding.device
        with exact_float32(device):
            rows, table = self._spell(sentences, device)
            for batch in _batches([len(words) for words in sentences]):
                chosen = [[rows[word] for word in sentences[i]] for i in batch]
                for i, layers in zip(batch, self._contextualise(chosen, table), strict=True):
                    results[i] = layers
        return results

    def _spell(self, sentences: Sentences, device: torch.device) -> tuple[dict[str, int], Tensor]:
        """Layer 0 of every distinct word, once: word → row, and the rows (words + 2, D).

        Rows 0 and 1 are the sentence boundaries.
        """
        distinct = dict.fromkeys(word for words in sentences for word in words)
        width = self.bilm.options.characters
        spelled = [*boundary_ids(width), *(word_ids(word, width) for word in distinct)]
        table = self.bilm.char_cnn(torch.tensor(spelled, device=device))
        return {word: row for row, word in enumerate(distinct, start=2)}, table

    def _contextualise(self, chosen: list[list[int]], table: Tensor) -> Iterator[Tensor]:
        """The layers of each sentence of a batch, given as rows of `table`, without boundaries."""
        lengths = torch.tensor([len(rows) + 2 for rows in chosen])
        index = torch.zeros(len(chosen), int(lengths.max()), dtype=torch.int64)
        for k, rows in enumerate(chosen):
            index[k, : len(rows) + 2] = torch.tensor([0, *rows, 1])
        layers, _ = self.bilm.contextualise(table[index.to(table.device)], lengths)
        for row, length in zip(layers.cpu(), lengths.tolist(), strict=True):
            yield row[:, 1 : length - 1].clone()  # a view would keep the whole batch alive


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Indices of sentences, the longest first, in batches of at most BATCH_TOKENS.

    Similar lengths stand together; and if memory is short, it is short at once.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        width = lengths[batch[0]] if batch else 0
        if batch and width * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
