"""Readers of named-entity files: column files in any tagging scheme, the hub's parquet files."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from datasets import ClassLabel, Dataset, Features

from tasks.base.files import find, to_dataset
from tasks.base.parquet import read_rows, read_schema
from tasks.base.text_files import read_lines
from tasks.formats.tags import BIO, TagError, chunks, detect, from_spans, odd
from tasks.task import DataError

log = logging.getLogger(__name__)

# In order: CoNLL-2003's own names, the usual copies', WNUT-17's, the hub's.
FILES = {
    "train": ("eng.train", "train.txt", "train.conll", "wnut17train.conll", "train.parquet"),
    "dev": (
        *("eng.testa", "valid.txt", "dev.txt", "dev.conll", "emerging.dev.conll"),
        *("dev.parquet", "validation.parquet"),
    ),
    "test": ("eng.testb", "test.txt", "test.conll", "emerging.test.annotated", "test.parquet"),
}
# Published as one file. Cut by position, since neighbours come from the same article.
UNDIVIDED = "wikigold.conll.txt"
SHARES = {"train": (0.0, 0.8), "dev": (0.8, 0.9), "test": (0.9, 1.0)}
DOCUMENT_START = "-DOCSTART-"
COMMENT = "# "  # a token may begin so, too
LONGEST = 1_000
"""Tokens of a file's only sentence: longer ones are texts without empty lines."""


@dataclass(frozen=True)
class Sentence:
    """Tokens with their tags, and where in the file each stands."""

    document: str  # where it begins, "" if that is not marked
    tokens: list[str]
    tags: list[str]
    places: list[str]  # of each token, for error messages: "line 7"


def read(folder: Path, split: str) -> Dataset | None:
    """Read the sentences of a split, their tags in BIO, from whatever scheme the file uses.

    Columns: `id`, `document_id` (see to_dataset), `tokens`, `tags`. None if `folder` has no file
    for the split. Tags that may not stand where they stand in the scheme that most are written in
    (CoNLL-2003's own files have some) are read as conlleval reads them; how many is logged. Raises
    DataError with file and line for malformed rows and unknown tags, and for a file whose first
    column counts the words or that has no empty lines.
    """
    path = locate(folder, split)
    if path is None:
        return None
    sentences = list(_read_parquet(path) if path.suffix == ".parquet" else _read_columns(path))
    _check(sentences, path)
    scheme = detect(sentence.tags for sentence in sentences)
    first, end = 0, len(sentences)
    if path.name == UNDIVIDED:
        first, end = (round(share * len(sentences)) for share in SHARES[split])
        log.info("%s: one file, cut: %s is sentences %d to %d", path, split, first + 1, end)
    rows = [
        {
            "id": f"{split}-{number}",
            "document_id": one.document,
            "tokens": one.tokens,
            "tags": _bio(one, path),
        }
        for number, one in enumerate(sentences[first:end], start=first + 1)
    ]
    names = sum(tag[0] == "B" for row in rows for tag in row["tags"])
    log.info(
        "%s: %d sentences, %d tokens, %d names, tagged in %s",
        *(path, len(rows), sum(len(row["tokens"]) for row in rows), names, scheme.upper()),
    )
    if not names:
        log.warning("%s: not one name, so that nothing can be found in %s", path, split)
    places = [one.places[i] for one in sentences for i in odd(one.tags, scheme)]
    if places:
        log.warning(
            "%s: %d tags may not stand where they stand in %s (the first: %s); "
            "read as conlleval reads them",
            *(path, len(places), scheme.upper(), places[0]),
        )
    return to_dataset(rows, path)


def locate(folder: Path, split: str) -> Path | None:
    """Find the file of a split, or the one that all splits are cut from."""
    path = find(folder, FILES[split])
    if path is None and not any(find(folder, names) for names in FILES.values()):
        path = find(folder, [UNDIVIDED])
    return path


def _check(sentences: Sequence[Sentence], path: Path) -> None:
    """Refuse numbers in the place of words, and a text that is not cut into sentences."""
    if len(sentences) == 1 and (length := len(sentences[0].tokens)) > LONGEST:
        raise DataError(f"{path}: one sentence of {length:,} tokens; an empty line must end each")
    longer = [one.tokens for one in sentences if len(one.tokens) > 1]
    if longer and all(token.isdecimal() for tokens in longer for token in tokens):
        raise DataError(f"{path}: its first column is numbers alone; the words must come first")


def _bio(sentence: Sentence, path: Path) -> list[str]:
    try:
        return from_spans(chunks(sentence.tags), len(sentence.tags), BIO)
    except TagError as error:
        raise DataError(f"{path}, {sentence.places[error.position]}: {error}") from None


def _read_columns(path: Path) -> Iterator[Sentence]:
    """Read columns: token first, tag last, between tabs or blanks; a line of white space ends a
    sentence.

    WNUT-17's files separate sentences by empty lines and by lines with a lone tab. Comments, `# …`
    before a sentence, are left out and counted.
    """
    sentence = Sentence("", [], [], [])
    columns = _columns(path)
    comments = 0
    for number, line in read_lines(path):
        place = f"line {number}"
        fields = _fields(line)
        if not sentence.tokens and line.startswith(COMMENT) and not _is_row(fields, columns):
            comments += 1
            continue
        if not line.strip() or fields[0] == DOCUMENT_START:
            if sentence.tokens:
                yield sentence
            document = place if line.strip() else sentence.document
            sentence = Sentence(document, [], [], [])
            continue
        columns = columns or len(fields)
        if len(fields) == columns and not fields[0].strip():
            raise DataError(f"{path}, {place}: the word is empty")
        if len(fields) < 2 or len(fields) != columns:
            expected = (
                f"{columns} columns, as its first row has" if columns > 1 else "a token and a tag"
            )
            raise DataError(f"{path}, {place}: expected {expected}, found {line!r}")
        sentence.tokens.append(fields[0])
        sentence.tags.append(fields[-1].strip())
        sentence.places.append(place)
    if sentence.tokens:
        yield sentence
    if comments:
        log.info("%s: comments before sentences left out: %d", path, comments)


def _fields(line: str) -> list[str]:
    if "\t" in line:
        return [field.strip(" ") for field in line.split("\t")]
    return [field for field in line.split(" ") if field]


def _columns(path: Path) -> int:
    """Count the columns of the first row that is surely no comment; 0 if there is none."""
    rows = (_fields(line) for _, line in read_lines(path) if not line.startswith(COMMENT))
    return next((len(row) for row in rows if "".join(row).strip() and row[0] != DOCUMENT_START), 0)


def _is_row(fields: list[str], columns: int) -> bool:
    """Return whether these are a token, such as `#`, and its tag, and no comment."""
    try:
        chunks([fields[-1].strip()])
    except TagError:
        return False
    return len(fields) == (columns or len(fields))


def _read_parquet(path: Path) -> Iterator[Sentence]:
    """Read the hub's edition: `tokens` and `ner_tags`, which are names or numbers of named
    classes."""
    names = dict(enumerate(_names(path)))
    for number, row in read_rows(path, "tokens", "ner_tags"):
        place = f"row {number}"
        tokens, tags = row["tokens"], row["ner_tags"]
        lists = isinstance(tokens, list) and isinstance(tags, list) and len(tokens) == len(tags)
        if not lists or not all(isinstance(token, str) and token.strip() for token in tokens):
            raise DataError(f"{path}, {place}: expected a tag for each token, and no empty token")
        tags = [names.get(tag, tag) if isinstance(tag, int) else tag for tag in tags]
        if not all(isinstance(tag, str) for tag in tags):
            raise DataError(f"{path}, {place}: tags are neither names nor numbers that it names")
        if tokens:
            yield Sentence("", tokens, tags, [place] * len(tokens))


def _names(path: Path) -> list[str]:
    """Find the names of the numbers in `ner_tags`, which the hub's library notes in the file."""
    try:
        features = Features.from_arrow_schema(read_schema(path))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: the types of its columns are damaged ({error})") from None
    kind = getattr(features.get("ner_tags"), "feature", None)
    return list(kind.names) if isinstance(kind, ClassLabel) else []
