"""What tasks over word vectors share: which words they know, and the vectors of these."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from datasets import Dataset

from elmo_core.downloads import glove
from tasks.base.folder_task import FolderTask
from tasks.nn.padding import pad
from tasks.nn.words import PAD, UNK, Words
from tasks.task import Batch, Example

log = logging.getLogger(__name__)


class WordTask(FolderTask):
    """A task whose files lie in one folder and whose model begins with word vectors.

    Args:
        word_vectors: a GloVe text file, or the name of published vectors that were fetched before;
            without it, vectors of `sizes.word_dim` numbers are learned.
        word_dropout: how often such a word is read as unknown in training; see WordEmbedding.
        others: see FolderTask. `sizes_type` must have a field `word_dim`.

    Raises:
        ElmoCoreError: there are no such word vectors.
    """

    def __init__(
        self, *, word_vectors: str | None = None, word_dropout: float = 0.0, **others: Any
    ) -> None:
        super().__init__(**others)
        self.word_vectors = glove.find(word_vectors) if word_vectors else None
        self.word_dropout = word_dropout

    @abstractmethod
    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        """Count how often each word occurs, spelled as the model looks it up."""

    def prepare(self, train: Dataset) -> None:
        """Choose the words: those of training, and of dev and test those that a file has."""
        counts = self.count_words(train)
        if self.word_vectors is None:
            self.words = Words.learned(counts, self.sizes.word_dim, self.word_dropout)
            return
        rest = (self.load(split) for split in ("dev", "test"))
        others = {word for examples in rest for word in self.count_words(examples or [])}
        self.words = Words.from_file(self.word_vectors, counts, others)
        if self.word_dropout:
            log.info("word_dropout=%s hides no word: all are read from a file", self.word_dropout)

    def looked_up(self, sentences: Iterable[Sequence[str]]) -> Batch:
        """Look words up: `words` and `mask` (sentences, tokens), `lengths` (sentences,)."""
        words = pad([self.words.vocabulary(sentence) for sentence in sentences])
        mask = words != PAD
        return {"words": words, "mask": mask, "lengths": mask.sum(1)}

    def slices(self, example: Example) -> dict[str, str | int]:
        """Add the number of words that the vocabulary does not have; see Task."""
        words = [word for sentence in self.sentences(example) for word in sentence]
        return {**super().slices(example), "unknown words": self.words.vocabulary(words).count(UNK)}

    def vocabulary(self) -> dict[str, Any]:
        """Return the words; see Task."""
        return self.words.state()

    def restore(self, vocabulary: dict[str, Any]) -> None:
        """Take the words back; see Task."""
        self.words = Words.from_state(vocabulary)
