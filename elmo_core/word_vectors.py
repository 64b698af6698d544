"""A text file of word vectors, read where a word is asked for."""

from __future__ import annotations

import hashlib
import mmap
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_core.downloads.glove import find
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.text.files import IN_CR, ends_in_cr

CHUNK = 1 << 24
PEEK = 1 << 12  # bytes among which files that are no text, packed ones too, have a NUL


class WordVectors:
    """The vectors of a GloVe or word2vec text file: `word v1 … vd` a line, UTF-8.

    The table of a large file would fill the memory (2.6 GB for glove.840B). So one pass on opening
    notes where each word's line begins – 16 bytes a word, 35 MB for the 2.2 million of glove.840B –
    and the rows of the words that turn up are read then, and kept. A word2vec header, two whole
    numbers on the first line, is skipped.

    Args:
        path: the file, or the name of published vectors that were fetched before
            (`elmo_core.downloads.glove`).

    Raises:
        OptionsError: there is no path.
        FetchError: it is the name of vectors that were not fetched yet.
        WeightsError: the file is missing, empty or no text, a line has too few numbers, other
            separators than one space or NUL bytes, lines end in carriage returns alone, or a header
            tells another size; later, when words are looked up: one of them stands in the file
            twice, or its numbers are none. The message names the line.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "tiny.txt"
        ...     _ = path.write_text("the 0.5 1\\nbank 2 3\\n")
        ...     vectors = WordVectors(path)
        >>> vectors(["The", "bank", "sleeps"]).tolist()
        [[0.5, 1.0], [2.0, 3.0], [0.0, 0.0]]
    """

    def __init__(self, path: str | Path | None) -> None:
        if path is None:
            raise OptionsError(
                "this encoder reads word vectors: give word_vectors=FILE or encoder.vectors=FILE, "
                "a GloVe or word2vec text file, or the name of one (glove.840B.300d)"
            )
        self.path = find(path)
        if not self.path.is_file() or not self.path.stat().st_size:
            raise WeightsError(f"word vectors: {self.path} is not a file, or empty")
        with open(self.path, "rb") as file:
            self._text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if b"\0" in self._text[:PEEK]:
            raise WeightsError(
                f"word vectors: {self.path} is no text file: unpack a .gz or .zip; of word2vec's "
                "files the text format is read, not .bin"
            )
        self._rows: dict[str, NDArray[np.float32] | None] = {}
        self.dim = 0
        keys, starts = self._index()
        if not self.dim:
            raise WeightsError(f"word vectors: {self.path} has no words")
        order = np.argsort(keys, kind="stable")
        self._keys, self._starts = keys[order], starts[order]

    def __len__(self) -> int:
        return len(self._keys)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self._text).hexdigest()

    def __call__(self, words: Sequence[str]) -> Tensor:
        """Look words up: (words, dim) float32, of the word, else of its lower case, else zeros."""
        rows = torch.zeros(len(words), self.dim)
        for i, word in enumerate(words):
            if word not in self._rows:
                start = self._find(word)
                start = self._find(word.lower()) if start is None else start
                self._rows[word] = None if start is None else self._read(start)
            row = self._rows[word]
            if row is not None:
                rows[i] = torch.from_numpy(row)
        return rows

    def table(self, wanted: Iterable[str]) -> tuple[list[str], Tensor]:
        """Return those of the words that stand in the file, in its order, and (words, dim)."""
        starts = ((self._find(word), word) for word in set(wanted))
        found = sorted((start, word) for start, word in starts if start is not None)
        rows = [self._read(start) for start, _ in found]
        table = np.array(rows, dtype=np.float32).reshape(len(rows), self.dim)
        return [word for _, word in found], torch.from_numpy(table)

    def _index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Note a hash of each word, and where its line begins; set `dim`."""
        keys, starts = array("q"), array("q")
        start = len(BOM_UTF8) if self._text[: len(BOM_UTF8)] == BOM_UTF8 else 0
        self._text.seek(start)
        said = ""
        for number, line in enumerate(iter(self._text.readline, b""), start=1):
            if number == 1 and ends_in_cr(line):
                raise WeightsError(f"{self.path}: {IN_CR}")
            row = line.rstrip()
            if number == 1 and _is_header(row):
                said = row.decode()
            elif row:
                self.dim = self.dim or row.count(b" ")
                keys.append(hash(self._word(row, number)))
                starts.append(start)
            start += len(line)
        found = f"{len(keys)} {self.dim}"
        if said not in ("", found):
            raise WeightsError(
                f"{self.path}, line 1: {said!r} is not the size of the file, {found!r} (words and "
                "numbers of each): it is cut short, or has lost words"
            )
        return np.array(keys), np.array(starts)

    def _word(self, row: bytes, number: int) -> bytes:
        """Cut a row from the right: some GloVe words hold spaces."""
        if b"\0" in row:  # a block of them is what a power cut leaves: it takes line ends with it
            raise WeightsError(f"{self.path}, line {number}: not text: it holds NUL bytes")
        spaces = row.count(b" ")
        if spaces < max(self.dim, 1):
            count = self.dim or "its"
            raise WeightsError(f"{self.path}, line {number}: expected a word and {count} numbers")
        word = row[: row.index(b" ")] if spaces == self.dim else row.rsplit(b" ", self.dim)[0]
        if b"\t" in word or word != word.strip(b" "):
            raise WeightsError(f"{self.path}, line {number}: tabs or two spaces between its fields")
        return word

    def _find(self, word: str) -> int | None:
        """Find where the line of exactly this word begins. Raises WeightsError if it has two."""
        wanted = word.encode("utf-8", "surrogatepass")
        key = hash(wanted)
        first, last = (int(np.searchsorted(self._keys, key, side)) for side in ("left", "right"))
        starts = self._starts[first:last].tolist()  # different words may share a hash
        starts = [start for start in starts if self._fields(start)[0] == wanted]
        if len(starts) > 1:
            lines = " and ".join(str(self._line(start)) for start in starts[:2])
            raise WeightsError(f"{self.path}, lines {lines}: {word!r} stands in the file twice")
        return starts[0] if starts else None

    def _read(self, start: int) -> NDArray[np.float32]:
        """Read the numbers of the line that begins at this byte."""
        try:
            with np.errstate(over="ignore"):  # 1e39 is infinite: told below
                row = np.array(self._fields(start)[1:], dtype=np.float32)
        except ValueError:
            row = np.array([np.nan], dtype=np.float32)
        if not np.isfinite(row).all():
            where = f"{self.path}, line {self._line(start)}"
            raise WeightsError(f"{where}: expected a word and {self.dim} finite numbers")
        return row

    def _fields(self, start: int) -> list[bytes]:
        """Return the word and the numbers of the line that begins at this byte."""
        self._text.seek(start)
        return self._text.readline().rstrip().rsplit(b" ", self.dim)

    def _line(self, start: int) -> int:
        """Return the number of the line that begins at this byte, from 1."""
        chunks = (self._text[i : min(i + CHUNK, start)] for i in range(0, start, CHUNK))
        return 1 + sum(chunk.count(b"\n") for chunk in chunks)


def _is_header(row: bytes) -> bool:
    fields = row.split(b" ")
    return len(fields) == 2 and all(field.isdigit() for field in fields)
