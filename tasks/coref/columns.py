"""CoNLL-2012 column files of coreference, as OntoNotes, OntoGUM and LitBank have them.

`#begin document (name); part 000`, one token a line, a blank line after each sentence,
`#end document`. The columns count: document, part, token, word, …, speaker (the tenth), …, and last
the clusters: `(3` opens a mention of cluster 3, `3)` closes one, `(3)` is one of a single token;
`|` stands between several.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tasks.base.text_files import read_lines
from tasks.task import DataError

WORD, SPEAKER, FEWEST = 3, 9, 12  # two columns by place, and how many there are at least
SKELETON = "[WORD]"  # in the place of each word, in the files before the words are put in
NOTHING = ("", "-", "_", "*")  # no speaker, no mention
_BEGIN = re.compile(r"#begin document \((.*)\); part ([0-9]{1,9})\b")
_PIECE = re.compile(r"(\(?)([0-9]+)(\)?)")

Mention = tuple[int, int]  # first and last token of the document, both inclusive


@dataclass
class Document:
    """A part of a document, within which coreference is resolved."""

    name: str
    part: int
    sentences: list[list[str]] = field(default_factory=list)
    speakers: list[list[str]] = field(default_factory=list)  # of each token; "" if none is told
    clusters: list[list[Mention]] = field(default_factory=list)
    doubled: int = 0  # mentions that stood in their cluster already, which were left out


def read_columns(path: Path) -> Iterator[Document]:
    """Read the documents of a file (`.gz` or not).

    Clusters stand in the order of their first closing brackets. Raises DataError with file and
    line for brackets that do not match, lines outside any document and rows that are too short.
    """
    reader: _Reader | None = None
    for number, line in read_lines(path):
        where = f"{path}, line {number}"
        if line.startswith("#begin"):
            begun = _BEGIN.match(line)
            if reader is not None:
                raise DataError(f"{where}: a document begins inside another")
            if begun is None:
                raise DataError(f"{where}: expected '#begin document (name); part 000'")
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


class _Reader:
    """A document under construction."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.opened: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)  # token, line
        self.clusters: defaultdict[str, dict[Mention, None]] = defaultdict(dict)
        self.words: list[str] = []
        self.speakers: list[str] = []
        self.tokens = 0

    def take(self, line: str, where: str, number: int) -> None:
        """Read one line of the document."""
        if not line.strip():
            self.end_sentence()
            return
        # LitBank's last column is empty where there is no mention, so tabs count where there are.
        fields = line.split("\t") if "\t" in line else [f for f in line.split(" ") if f]
        if len(fields) < FEWEST:
            raise DataError(f"{where}: expected {FEWEST} columns or more, found {len(fields)}")
        word, speaker, cell = fields[WORD], fields[SPEAKER].strip(), fields[-1].strip()
        if not word.strip() or word == SKELETON:
            what = (
                "a skeleton, into which the words are yet to be put" if word.strip() else "no word"
            )
            raise DataError(f"{where}: {what}")
        self.words.append(word[1:] if word in ("/.", "/?") else word)  # OntoNotes' escapes
        self.speakers.append("" if speaker in NOTHING else speaker)
        for piece in () if cell in NOTHING else cell.split("|"):
            self.bracket(piece, where, number)
        self.tokens += 1

    def bracket(self, piece: str, where: str, number: int) -> None:
        """Open or close a mention: one piece of a cell.

        Pieces count from left to right: `0)|(0` ends one mention and begins another. (The official
        scorer opens before it closes; LitBank and OntoGUM have no such cell of one cluster.)
        """
        parts = _PIECE.fullmatch(piece)
        if parts is None or not (parts[1] or parts[3]):
            raise DataError(f"{where}: malformed cluster {piece!r} (expected '(3', '3)' or '(3)')")
        cluster = parts[2]
        if parts[1]:
            self.opened[cluster].append((self.tokens, number))
        if parts[3]:
            if not self.opened[cluster]:
                raise DataError(f"{where}: {piece!r} closes what was never opened")
            mention = self.opened[cluster].pop()[0], self.tokens
            self.document.doubled += mention in self.clusters[cluster]
            self.clusters[cluster][mention] = None

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
        self.document.clusters = [list(mentions) for mentions in self.clusters.values()]
        return self.document
