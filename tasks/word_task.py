"""What tasks over word vectors share: where their files are, and which words they know."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from datasets import Dataset

from elmo_core import glove
from tasks.data import DataError, locate
from tasks.nn.words import Words
from tasks.sources import Source
from tasks.task import Example, Task


class WordTask(Task):
    """A task whose files lie in one folder and whose model begins with word vectors.

    Args:
        data: "mini", the built-in world; or a published set, by its name or as "open", "paper".
        folder: the user's copy, read instead.
        word_vectors: a GloVe text file, or the name of published vectors that were fetched before;
            without it, vectors of `word_dim` numbers are learned.
    """

    name: ClassVar[str]  # the folder's: of the task, and of its files in a collection
    sources: ClassVar[Sequence[Source]] = ()  # what is published; the first of a kind is meant

    def __init__(
        self,
        *,
        word_dim: int,
        data: str = "mini",
        folder: str | None = None,
        word_vectors: str | None = None,
    ) -> None:
        self.data, self.data_folder, self.word_dim = data, folder, word_dim
        self.word_vectors = glove.find(word_vectors) if word_vectors else None

    @cached_property
    def folder(self) -> Path:
        return locate(self.name, self.data, self.data_folder, self.sources)

    @abstractmethod
    def read(self, split: str) -> Dataset | None:
        """The examples of a split; None where `folder` has no file for it."""

    @abstractmethod
    def files(self, split: str) -> str:
        """The official names of a split's files, for the message that there is none."""

    @abstractmethod
    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        """How often each word occurs, spelled as the model looks it up."""

    def load(self, split: str) -> Dataset | None:
        found = self.read(split)
        if found is None and split != "test":
            raise DataError(
                f"no {split} file of {self.name} ({self.files(split)}) in {self.folder}"
            )
        return found

    def prepare(self, train: Dataset) -> None:
        counts = self.count_words(train)
        if self.word_vectors is None:
            self.words = Words.learned(counts, self.word_dim)
            return
        rest = (self.load(split) for split in ("dev", "test"))
        others = {word for examples in rest for word in self.count_words(examples or [])}
        self.words = Words.from_file(self.word_vectors, counts, others)

    def vocabulary(self) -> dict[str, Any]:
        return self.words.state()

    def restore(self, vocabulary: dict[str, Any]) -> None:
        self.words = Words.from_state(vocabulary)
