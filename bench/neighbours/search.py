"""Search for the occurrences of words nearest to one (the paper's Table 4), at any layer."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor

from bench.errors import RunError
from elmo_core import Encoder

TOKENS = 8192
"""In a batch: bounds the memory, whatever the length of a corpus."""

Sentence = tuple[str, ...]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Occurrence:
    """A word in its sentence."""

    sentence: Sentence
    place: int

    @property
    def word(self) -> str:
        return self.sentence[self.place]


@dataclass(frozen=True)
class Neighbours:
    """What was found: cosines and neighbours, the nearest first."""

    contexts: list[tuple[float, Occurrence]]
    static: list[tuple[float, str]]
    sentences: int  # that were read


class Nearest(Generic[Name]):
    """The `number` distinct names whose vectors have the highest cosine with `query` (dim,)."""

    def __init__(self, query: Tensor, number: int) -> None:
        self.query, self.number = F.normalize(query, dim=0), number
        self.cosines: dict[Name, float] = {}

    def add(self, names: Sequence[Name], vectors: Tensor) -> None:
        """Look at further names and their `vectors` (names, dim); of one name the best counts."""
        if not self.query.any():  # it points nowhere
            return
        cosines, order = (F.normalize(vectors, dim=1) @ self.query).sort(descending=True)
        for cosine, i in zip(cosines.tolist(), order.tolist(), strict=True):
            full = len(self.cosines) >= self.number
            if full and cosine <= min(self.cosines.values()):
                return
            self.cosines[names[i]] = max(cosine, self.cosines.get(names[i], cosine))
            if len(self.cosines) > self.number:
                del self.cosines[min(self.cosines, key=self.cosines.__getitem__)]

    @property
    def ranked(self) -> list[tuple[float, Name]]:
        """Cosines and names, the nearest first."""
        return sorted(((c, name) for name, c in self.cosines.items()), key=lambda row: -row[0])


def neighbours(
    encoder: Encoder,
    query: Occurrence,
    sentences: Iterable[Sequence[str]],
    *,
    layer: int,
    number: int,
    same_word: bool,
    advance: Callable[[Sentence], object] = lambda sentence: None,
) -> Neighbours:
    """Find the occurrences nearest to one by `layer`, and the word types nearest by layer 0.

    For most encoders layer 0 knows no context. Memory does not grow with the corpus.

    Args:
        encoder: What the vectors are of.
        query: The occurrence whose neighbours are sought; its own sentence does not count.
        sentences: The corpus.
        layer: The layer whose vectors are compared.
        number: How many neighbours of each kind.
        same_word: Whether only occurrences of the query's word count, in any case. Of the other
            sentences, only those that bring new words are encoded then.
        advance: Called with each sentence that is read.

    Returns:
        The neighbours, nearest first, by cosine; no words where layer 0 has no vector for this one.

    Raises:
        RunError: The layer has no vector for the word: zeros, as of a word that is not in a list.
    """
    (asked,) = encoder.encode([query.sentence])
    if not asked[layer, query.place].any():
        raise RunError(f"{query.word}: {encoder.name} has no vector for it in layer {layer}")
    contexts = Nearest[Occurrence](asked[layer, query.place], number)
    static = Nearest[str](asked[0, query.place], number)
    reader = _Reader(query, same_word, advance)
    for batch in _batches(reader.read(sentences)):
        encoded = encoder.encode(batch)
        words = [word for sentence in batch for word in sentence]
        types = [i for i, word in enumerate(words) if word != query.word]
        static.add([words[i] for i in types], torch.cat([x[0] for x in encoded])[types])
        found = [Occurrence(s, i) for s in batch for i in range(len(s))]
        counted = [i for i, one in enumerate(found) if reader.counts(one)]
        vectors = torch.cat([x[layer] for x in encoded])
        contexts.add([found[i] for i in counted], vectors[counted])
    return Neighbours(contexts.ranked, static.ranked, reader.sentences)


class _Reader:
    """Chooses the sentences that are encoded and the occurrences that count."""

    def __init__(
        self, query: Occurrence, same_word: bool, advance: Callable[[Sentence], object]
    ) -> None:
        self.query, self.same_word, self.advance = query, same_word, advance
        self.sentences = 0
        self.known: set[str] = set()  # words, with `same_word`

    def read(self, sentences: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        for words in sentences:
            sentence = tuple(words)
            self.sentences += 1
            self.advance(sentence)
            if sentence != self.query.sentence and self._wanted(sentence):
                yield sentence

    def _wanted(self, sentence: Sentence) -> bool:
        if not self.same_word:
            return True
        new = set(sentence) - self.known
        self.known |= new
        return bool(new) or any(map(self._same, sentence))

    def counts(self, occurrence: Occurrence) -> bool:
        return not self.same_word or self._same(occurrence.word)

    def _same(self, word: str) -> bool:
        return word.casefold() == self.query.word.casefold()


def _batches(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield batches of at most TOKENS tokens, or of one sentence that is longer."""
    batch: list[Sentence] = []
    tokens = 0
    for sentence in sentences:
        if batch and tokens + len(sentence) > TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(sentence)
        tokens += len(sentence)
    if batch:
        yield batch
