"""CoNLL-2012 column files of coreference, as OntoNotes, OntoGUM and LitBank have them.

`#begin document (name); part 000`, one token a line, a blank line after each sentence,
`#end document`. The columns count: document, part, token, word, …, speaker (the tenth), …, and last
the clusters: `(3` opens a mention of cluster 3, `3)` closes one, `(3)` is one of a single token;
`|` stands between several.
"""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tasks.task import DataError

WORD, SPEAKER, FEWEST = 3, 9, 12  # two columns by place, and how many there are at least
NOTHING = ("", "-", "_", "*")  # no speaker, no mention
_BEGIN = re.compile(r"#begin document \((.*)\); part (\d+)")
_PIECE = re.compile(r"(\(?)(\d+)(\)?)")

Mention = tuple[int, int]  # first and last token of the document, both inclusive


@dataclass
class Document:
    """A part of a document: what coreference is resolved in."""

    name: str
    part: int
    sentences: list[list[str]] = field(default_factory=list)
    speakers: list[list[str]] = field(default_factory=list)  # of each token; "" if none is told
    clusters: list[list[Mention]] = field(default_factory=list)


def read_columns(path: Path) -> Iterator[Document]:
    """The documents of a file (`.gz` or not).

    Clusters stand in the order of their first closing brackets. Raises DataError with file and
    line for brackets that do not match, lines outside any document and rows that are too short.
    """
    reader: _Reader | None = None
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        if line.startswith("#begin"):
            begun = _BEGIN.match(line)
            if begun is None or reader is not None:
                raise DataError(f"{where}: a document begins inside another, or without a name")
            reader = _Reader(Document(begun[1], int(begun[2])))
        elif line.startswith("#end") and reader is not None:
            yield reader.finish(path)
            reader = None
        elif reader is not None:
            reader.take(line, where, number)
        elif line.strip() and not line.startswith("#"):
            raise DataError(f"{where}: expected '#begin document (name); part 000'")
    if reader is not None:
        raise DataError(f"{path}: no '#end document' after {reader.document.name}")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield number, line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise DataError(f"{path}, line {number}: not UTF-8 ({error.reason})") from None


class _Reader:
    """A document under construction."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.opened: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)  # token, line
        self.clusters: defaultdict[str, list[Mention]] = defaultdict(list)
        self.words: list[str] = []
        self.speakers: list[str] = []
        self.tokens = 0

    def take(self, line: str, where: str, number: int) -> None:
        """Read one line of the document."""
        if not line.strip():
            self.end_sentence()
            return
        # LitBank's last column is empty where there is no mention, so tabs count where there are.
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) < FEWEST:
            raise DataError(f"{where}: expected {FEWEST} columns or more, found {len(fields)}")
        word, speaker, cell = fields[WORD], fields[SPEAKER].strip(), fields[-1].strip()
        self.words.append(word[1:] if word in ("/.", "/?") else word)  # OntoNotes' escapes
        self.speakers.append("" if speaker in NOTHING else speaker)
        for piece in () if cell in NOTHING else cell.split("|"):
            self.bracket(piece, where, number)
        self.tokens += 1

    def bracket(self, piece: str, where: str, number: int) -> None:
        """Open or close a mention: one piece of a cell."""
        parts = _PIECE.fullmatch(piece)
        if parts is None or not (parts[1] or parts[3]):
            raise DataError(f"{where}: malformed cluster {piece!r} (expected '(3', '3)' or '(3)')")
        cluster = parts[2]
        if parts[1]:
            self.opened[cluster].append((self.tokens, number))
        if parts[3]:
            if not self.opened[cluster]:
                raise DataError(f"{where}: {piece!r} closes what was never opened")
            self.clusters[cluster].append((self.opened[cluster].pop()[0], self.tokens))

    def end_sentence(self) -> None:
        """Finish the sentence at hand, if it has words."""
        if self.words:
            self.document.sentences.append(self.words)
            self.document.speakers.append(self.speakers)
            self.words, self.speakers = [], []

    def finish(self, path: Path) -> Document:
        """Return the document; raise DataError for a mention that is never closed."""
        self.end_sentence()
        for cluster, begun in self.opened.items():
            if begun:
                raise DataError(f"{path}, line {begun[0][1]}: '({cluster}' is never closed")
        self.document.clusters = list(self.clusters.values())
        return self.document
