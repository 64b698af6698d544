"""A text file of word vectors, read where a word is asked for."""

from __future__ import annotations

import hashlib
import mmap
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from elmo_core.downloads.glove import find
from elmo_core.errors import OptionsError, WeightsError

Row = np.ndarray | None


class WordVectors:
    """The vectors of a GloVe or word2vec text file: `word v1 … vd` a line.

    `path` may be the name of published vectors that were fetched before (downloads/glove.py).
    Which words will be asked for is not known beforehand, and the table of a large file would fill
    the memory (2.6 GB for glove.840B). So one pass on opening notes where each word's line begins –
    16 bytes a word, 35 MB for the 2.2 million of glove.840B – and hashes the file; the rows of the
    words that turn up are read then, and kept. A word2vec header (`count dim`) is skipped; of a
    word that occurs twice, the first line counts.

    Raises OptionsError without a path, FetchError for a name whose file was not fetched yet,
    WeightsError for a file that is missing or malformed.
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
        self._rows: dict[str, Row] = {}
        self.dim, self.sha256 = 0, ""
        keys, starts = self._index()
        order = np.argsort(keys, kind="stable")
        self._keys, self._starts = keys[order], starts[order]

    def __len__(self) -> int:
        return len(self._keys)

    def __call__(self, words: Sequence[str]) -> Tensor:
        """(words, dim) float32: of the word, else of its lower-case form, else zeros."""
        rows = torch.zeros(len(words), self.dim)
        for i, word in enumerate(words):
            if word not in self._rows:
                found = self._read(word)
                self._rows[word] = self._read(word.lower()) if found is None else found
            row = self._rows[word]
            if row is not None:
                rows[i] = torch.from_numpy(row)
        return rows

    def _index(self) -> tuple[np.ndarray, np.ndarray]:
        """A hash of each word, and where its line begins; sets `dim` and `sha256`."""
        digest, keys, starts, start = hashlib.sha256(), array("q"), array("q"), 0
        for number, line in enumerate(iter(self._text.readline, b""), start=1):
            digest.update(line)
            row = line.rstrip()
            if number > 1 or not _is_header(row):
                self.dim = self.dim or row.count(b" ")
                keys.append(hash(self._word(row, number)))
                starts.append(start)
            start += len(line)
        self.sha256 = digest.hexdigest()
        return np.array(keys), np.array(starts)

    def _word(self, row: bytes, number: int) -> bytes:
        """Some GloVe words hold spaces, so a row is cut from the right."""
        spaces = row.count(b" ")
        if spaces < max(self.dim, 1):
            count = self.dim or "its"
            raise WeightsError(f"{self.path}, line {number}: expected a word and {count} numbers")
        return row[: row.index(b" ")] if spaces == self.dim else row.rsplit(b" ", self.dim)[0]

    def _read(self, word: str) -> Row:
        """The vector of exactly this word. Two words may share a hash: the line decides."""
        wanted = word.encode("utf-8", "surrogatepass")
        key = hash(wanted)
        first, last = (int(np.searchsorted(self._keys, key, side)) for side in ("left", "right"))
        for start in self._starts[first:last]:
            self._text.seek(start)
            found, *numbers = self._text.readline().rstrip().rsplit(b" ", self.dim)
            if found == wanted:
                return self._parse(word, numbers)
        return None

    def _parse(self, word: str, numbers: list[bytes]) -> np.ndarray:
        try:
            row = np.array(numbers, dtype=np.float32)
        except ValueError:
            row = np.array([np.nan])
        if not np.isfinite(row).all():
            raise WeightsError(f"{self.path}: the row of {word!r} is not {self.dim} finite numbers")
        return row


def _is_header(row: bytes) -> bool:
    fields = row.split(b" ")
    return len(fields) == 2 and all(field.isdigit() for field in fields)
