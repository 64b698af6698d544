"""Column files of semantic roles: CoNLL-2012, CoNLL-2005 and PropBank on the Web Treebank.

One token a line, a blank line after each sentence. Some columns describe the token; then each
predicate of the sentence has a column of brackets, `(ARG0*` … `*)`, in the order of the predicates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tasks.base.text_files import read_lines
from tasks.formats.tags import BIO, Span, from_spans
from tasks.task import DataError

NONE = "-"  # no predicate here
SKELETON = "[WORD]"  # in the place of each word, in the files before the words are put in
BEGIN, END = "#begin document", "#end document"
_FIELD = re.compile(r"[^ \t]+")  # a no-break space is part of a word
_CELL = re.compile(r"((?:\([^()*\s]+)*)\*(\)*)")


class Layout(NamedTuple):
    """The columns' places in a file."""

    word: int
    lemma: int
    target: int  # not `-` at the predicates
    first: int  # of the bracket columns
    after: int = 0  # columns behind the brackets
    document: int | None = 0


CONLL_2012 = Layout(word=3, lemma=6, target=7, first=11, after=1)
PROPBANK = Layout(word=3, lemma=6, target=7, first=8)


@dataclass(frozen=True)
class Proposition:
    """A predicate and, for each token of its sentence, the BIO tag of its role."""

    predicate: int
    lemma: str
    tags: list[str]


@dataclass(frozen=True)
class Sentence:
    """Words, and the propositions about the predicates among them."""

    document: str
    words: list[str]
    propositions: list[Proposition]


Rows = list[tuple[int, list[str]]]  # a sentence: (line number, fields)


def read_columns(path: Path, counts: Counter[str]) -> Iterator[Sentence]:
    """Read the sentences of a file (`.gz` or not), whichever of the three formats it is in.

    Adds to `counts`: documents (if the file marks them), sentences, nested (arguments inside
    another argument of the same predicate, which BIO tags cannot say: the outer one is kept).
    Raises DataError with file and line for ragged rows and malformed brackets.
    """
    layout, sentences = _recognise(_split(path, counts), path, counts)
    return (_sentence(rows, layout, path, counts) for rows in sentences)


def _recognise(
    sentences: Iterator[Rows], path: Path, counts: Counter[str]
) -> tuple[Layout, Iterable[Rows]]:
    """Tell the layout by the beginning of the file, and return its sentences."""
    first = next(sentences, [])
    fields = first[0][1] if first else []
    if counts["documents"] or not first:
        layout = CONLL_2012
    elif len(fields) >= PROPBANK.first and all(field.isdecimal() for field in fields[1:3]):
        if len(fields) > CONLL_2012.first and not _CELL.fullmatch(fields[PROPBANK.first]):
            raise DataError(f"{path}, line {first[0][0]}: CoNLL-2012's columns, but no {BEGIN!r}")
        layout = PROPBANK
    else:
        everything = [first, *sentences]
        return _conll_2005(everything, path), everything
    return layout, chain([first] if first else [], sentences)


def _split(path: Path, counts: Counter[str]) -> Iterator[Rows]:
    """Split a file into sentences, rows of fields; comment lines are left out, documents
    counted."""
    rows: Rows = []
    for number, line in read_lines(path):
        if line.startswith((BEGIN, END)):
            counts["documents"] += line.startswith(BEGIN)
        elif fields := _FIELD.findall(line):
            if "\t\t" in line or line[0] == "\t":  # all that follows would move to the left
                raise DataError(
                    f"{path}, line {number}: an empty column (write {NONE} for nothing)"
                )
            rows.append((number, fields))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _conll_2005(sentences: list[Rows], path: Path) -> Layout:
    """Find the layout: the word comes first, the predicate's lemma last before the brackets.

    What stands between differs from edition to edition, so the number of columns is found: the one
    with which every sentence has as many bracket columns as predicates.
    """
    widths = [len(rows[0][1]) for rows in sentences]
    for first in range(min(widths), 1, -1):
        if all(
            width - first == sum(len(f) >= first and f[first - 1] != NONE for _, f in rows)
            for width, rows in zip(widths, sentences, strict=True)
        ):
            return Layout(0, lemma=first - 1, target=first - 1, first=first, document=None)
    raise DataError(
        f"{path}, line {sentences[0][0][0]}: not a column file of semantic roles: no column tells "
        "the predicates, one for each column of brackets"
    )


def _sentence(rows: Rows, layout: Layout, path: Path, counts: Counter[str]) -> Sentence:
    line, fields = rows[0]
    width = len(fields)
    if width < layout.first + layout.after:
        least = layout.first + layout.after
        raise DataError(f"{path}, line {line}: expected {least} columns or more, found {width}")
    for number, row in rows:
        if len(row) != width:
            raise DataError(
                f"{path}, line {number}: {len(row)} columns, but the sentence begins with {width}"
            )
    if SKELETON in fields[layout.word]:
        raise DataError(f"{path}, line {line}: a skeleton, into which the words are yet to be put")
    counts["sentences"] += 1
    targets = [i for i, (_, row) in enumerate(rows) if row[layout.target] != NONE]
    propositions = []
    columns = range(layout.first, width - layout.after)
    for place, column in enumerate(columns):
        spans = _spans([(number, row[column]) for number, row in rows], path, counts)
        if len(targets) == len(columns):
            predicate = targets[place]
        else:  # some editions mark words that are no predicates too: V tells which is
            predicate = _verb(spans, f"{path}, line {line}: bracket column {place + 1}")
        lemma = rows[predicate][1][layout.lemma]
        propositions.append(Proposition(predicate, lemma, from_spans(spans, len(rows), BIO)))
    document = path.name if layout.document is None else fields[layout.document]
    return Sentence(document, [row[layout.word] for _, row in rows], propositions)


def _verb(spans: list[Span], where: str) -> int:
    verb = next((start for start, _, role in spans if role == "V"), None)
    if verb is None:
        raise DataError(f"{where} has no V, and the predicates are not as many as the columns")
    return verb


def _spans(cells: list[tuple[int, str]], path: Path, counts: Counter[str]) -> list[Span]:
    """Read the outermost spans off one column of brackets, given with line numbers."""
    spans: list[Span] = []
    opened: list[tuple[int, int, str]] = []  # token, line, role
    for token, (line, cell) in enumerate(cells):
        parts = _CELL.fullmatch(cell)
        if parts is None:
            raise DataError(f"{path}, line {line}: malformed brackets {cell!r}")
        opened += [(token, line, role) for role in parts[1].split("(")[1:]]
        for _ in parts[2]:
            if not opened:
                raise DataError(f"{path}, line {line}: {cell!r} closes what was never opened")
            start, _, role = opened.pop()
            if opened:
                counts["nested"] += 1
            else:
                spans.append((start, token + 1, role))
    if opened:
        _, line, role = opened[0]
        raise DataError(f"{path}, line {line}: ({role}* is never closed in its sentence")
    return spans
