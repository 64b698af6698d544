"""Sentences of a text, encoded: the uses of words that an atlas looks at."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from bench.neighbours.search import Occurrence
from elmo_core import Encoder

MOST = 2000
"""Uses whose distances and directions are measured: their cost grows with the square."""
CONTEXTS = 5
"""Uses of a word from which on its self-similarity counts (Ethayarajh 2019, section 4.1)."""
BATCH = 64


@dataclass(frozen=True)
class Sample:
    """Sentences and their layers.

    Attributes:
        sentences: The words.
        layers: Of each sentence, (layers, tokens, dim).
        seed: What draws the uses that are measured.
    """

    sentences: Sequence[tuple[str, ...]]
    layers: Sequence[Tensor]
    seed: int

    @cached_property
    def uses(self) -> list[Occurrence]:
        """Every word of every sentence, in order."""
        return [Occurrence(s, place) for s in self.sentences for place in range(len(s))]

    @cached_property
    def by_word(self) -> dict[str, list[int]]:
        """The numbers of each word's uses, for words with enough of them in different sentences."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, use in enumerate(self.uses):
            found[use.word].append(number)
        return {
            word: numbers
            for word, numbers in found.items()
            if len({self.uses[number].sentence for number in numbers}) >= CONTEXTS
        }

    @cached_property
    def drawn(self) -> list[int]:
        """The numbers of the uses that are measured."""
        numbers = range(len(self.uses))
        return random.Random(self.seed).sample(numbers, min(MOST, len(numbers)))

    def vectors(self, layer: int) -> np.ndarray:
        """Return the vectors of all uses, (uses, dim)."""
        return torch.cat([each[layer] for each in self.layers]).float().cpu().numpy()


def sample(
    encoder: Encoder,
    sentences: Iterable[Sequence[str]],
    number: int,
    seed: int,
    advance: Callable[[int], object] = lambda sentences: None,
) -> Sample:
    """Draw distinct sentences and encode them.

    Args:
        encoder: What gives the layers.
        sentences: The text.
        number: How many sentences are drawn, if there are as many.
        seed: What draws them.
        advance: Called with the number of sentences that have just been encoded.
    """
    distinct = list(dict.fromkeys(tuple(words) for words in sentences if words))
    drawn = random.Random(seed).sample(distinct, min(number, len(distinct)))
    layers: list[Tensor] = []
    for start in range(0, len(drawn), BATCH):
        batch = drawn[start : start + BATCH]
        layers += encoder.encode(batch)
        advance(len(batch))
    return Sample(drawn, layers, seed)
