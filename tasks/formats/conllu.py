"""CoNLL-U files: one word a line, a blank line after each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tasks.base.text_files import read_lines
from tasks.task import DataError

_ID, _FORM, _UPOS, _XPOS, _MISC, _COLUMNS = 0, 1, 3, 4, 9, 10
_NEW = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*\S)?)?\s*")
_SPEAKER = "# speaker = "
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # the id of a range of words, or of an empty one


class Word(NamedTuple):
    """One word of a file, and where it stands."""

    form: str
    upos: str  # universal part of speech
    tag: str  # XPOS: of the Penn Treebank in English
    misc: str  # `Key=value|Key=value`
    line: int
    speaker: str = ""  # of the sentence; "" if none is told


@dataclass
class Document:
    """The sentences between one `# newdoc` and the next."""

    name: str
    sentences: list[list[Word]]


def read_conllu(path: Path) -> Iterator[Document]:
    """Read the documents of a file.

    Raises:
        DataError: as `read_sentences` does, and where a sentence comes before any document.
    """
    for name, group in groupby(read_sentences(path), key=lambda pair: pair[0]):
        sentences = [sentence for _, sentence in group]
        if name is None:
            line = sentences[0][0].line
            raise DataError(f"{path}, line {line}: no '# newdoc id =' before it")
        yield Document(name, sentences)


def read_sentences(path: Path) -> Iterator[tuple[str | None, list[Word]]]:
    """Read (name of the document, sentence); the name is None where the file names no documents.

    A document without an id is called by its line. Ranges of words (`1-2`) and empty ones (`8.1`)
    are left out.

    Raises:
        DataError: a row has not ten columns, ids do not count 1, 2, 3 …, or a word is empty; the
            message names file and line.
    """
    name: str | None = None
    sentence: list[Word] = []
    speaker = ""
    for number, row in read_lines(path):
        if new := _NEW.fullmatch(row):
            name = new[1] or f"line {number}"
        elif row.startswith(_SPEAKER):
            speaker = row.removeprefix(_SPEAKER)
        elif not row and sentence:
            yield name, sentence
            sentence, speaker = [], ""
        elif row and not row.startswith("#"):
            word = _word(row.split("\t"), f"{path}, line {number}", number, len(sentence) + 1)
            sentence += [word._replace(speaker=speaker)] if word else []
    if sentence:
        yield name, sentence


def _word(fields: list[str], where: str, line: int, expected: int) -> Word | None:
    if len(fields) != _COLUMNS:
        raise DataError(f"{where}: expected {_COLUMNS} columns, found {len(fields)}")
    if _NO_WORD.fullmatch(fields[_ID]):
        return None
    if fields[_ID] != str(expected):
        raise DataError(f"{where}: expected the id {expected}, found {fields[_ID]!r}")
    if not fields[_FORM].strip():
        raise DataError(f"{where}: the word is empty")
    return Word(fields[_FORM], fields[_UPOS], fields[_XPOS], fields[_MISC], line)
