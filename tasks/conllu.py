"""CoNLL-U files: one word a line, a blank line after each sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tasks.task import DataError

_ID, _FORM, _TAG, _MISC, _COLUMNS = 0, 1, 4, 9, 10
_NEW = "# newdoc id = "


class Word(NamedTuple):
    form: str
    tag: str  # XPOS: of the Penn Treebank in English
    misc: str  # `Key=value|Key=value`
    line: int


@dataclass
class Document:
    name: str
    sentences: list[list[Word]] = field(default_factory=list)


def read_conllu(path: Path) -> Iterator[Document]:
    """The documents of a file; ranges of words (`1-2`) and empty ones (`8.1`) are left out.

    Raises DataError with file and line for short rows and for words before any document.
    """
    document: Document | None = None
    sentence: list[Word] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            row = line.rstrip("\n")
            if row.startswith(_NEW):
                if document is not None:
                    yield document
                document = Document(row.removeprefix(_NEW))
            elif not row and sentence and document is not None:
                document.sentences.append(sentence)
                sentence = []
            elif row and not row.startswith("#"):
                word = _word(row.split("\t"), document, f"{path}, line {number}", number)
                sentence += [word] if word else []
    if document is not None:
        document.sentences += [sentence] if sentence else []
        yield document


def _word(fields: list[str], document: Document | None, where: str, line: int) -> Word | None:
    if len(fields) != _COLUMNS:
        raise DataError(f"{where}: expected {_COLUMNS} columns, found {len(fields)}")
    if document is None:
        raise DataError(f"{where}: no '{_NEW.strip()}' before it")
    if not fields[_ID].isdecimal():
        return None
    return Word(fields[_FORM], fields[_TAG], fields[_MISC], line)
