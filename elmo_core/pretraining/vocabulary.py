"""The output vocabulary: the words that the softmax can say, the most frequent first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from elmo_core.pretraining.errors import CorpusError
from elmo_core.text.files import read_lines
from elmo_core.whole_files import write_text

BEGIN, END, UNKNOWN = range(3)
SPECIALS = ("<S>", "</S>", "<UNK>")


class Vocabulary:
    """Words and their numbers; 0 to 2 are `<S>`, `</S>` and `<UNK>`.

    The order matters: the log-uniform sampler takes a word's rank for its frequency.
    """

    def __init__(self, words: Sequence[str], origin: str = "vocabulary") -> None:
        """Take the words. Raises CorpusError unless the specials come first, and each word once."""
        if tuple(words[:3]) != SPECIALS:
            raise CorpusError(f"{origin}: the first three words must be {', '.join(SPECIALS)}")
        self.words = tuple(words)
        # A text may contain the specials' spellings; it cannot mean them.
        self.ids = {word: i for i, word in enumerate(words) if i >= len(SPECIALS)}
        if len(self.ids) + len(SPECIALS) != len(self.words):
            raise CorpusError(f"{origin}: a word stands in it twice")

    def __len__(self) -> int:
        return len(self.words)

    @property
    def fingerprint(self) -> str:
        return sha256("\n".join(self.words).encode("utf-8", "surrogatepass")).hexdigest()

    @classmethod
    def of(cls, descending: Iterable[str]) -> Vocabulary:
        """Make a vocabulary of the specials, then these words."""
        return cls([*SPECIALS, *(word for word in descending if word not in SPECIALS)])

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """Read a file of one word a line. Raises TextError and CorpusError."""
        return cls(list(read_lines(path)), str(path))

    def write(self, path: Path) -> None:
        write_text(path, "".join(f"{word}\n" for word in self.words))
