"""SST readers: the official trees (PTB format), and the hub's sentence files."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from datasets import Dataset

from tasks.base.files import find, read_jsonl, to_dataset
from tasks.base.parquet import read_rows
from tasks.base.text_files import read_lines
from tasks.formats.treebank import unescape
from tasks.sst5.trees import parse
from tasks.task import DataError

log = logging.getLogger(__name__)

LABELS = ("very negative", "negative", "neutral", "positive", "very positive")  # 0 … 4

Row = dict[str, Any]


def file_of(folder: Path, split: str) -> Path | None:
    """Find the file of a split."""
    return find(folder, [f"{split}{suffix}" for suffix in (".txt", ".jsonl", ".parquet")])


def read(folder: Path, split: str, min_phrase: int | None = None) -> Dataset | None:
    """Read the sentences of a split and, where `min_phrase` is given, its phrases: the constituents
    of at least so many words within a sentence, each occurrence one example.

    Columns: `id`, `words` (a list), `label`, `phrase` (whether it is one). How many there are of
    both is logged. None if `folder` has no file for the split.
    """
    path = file_of(folder, split)
    if path is None:
        return None
    if path.suffix == ".txt":
        dataset = to_dataset(_trees(path, split, min_phrase), path)
    else:
        rows = read_jsonl(path) if path.suffix == ".jsonl" else read_rows(path, "text", "label")
        dataset = to_dataset(_sentences(rows, path, split), path)
        _warn_of_untokenised(dataset, path)
    phrases = sum(dataset.data["phrase"].to_pylist())
    sentences = len(dataset) - phrases
    if min_phrase is None:
        log.info("%s: %d sentences", path, sentences)
    elif path.suffix == ".txt":
        what = "%s: %d sentences, and %d phrases of %d words or more"
        log.info(what, path, sentences, phrases, min_phrase)
    else:
        log.warning("%s: %d sentences; such a file holds no phrases to train on", path, sentences)
    return dataset


def _warn_of_untokenised(dataset: Dataset, path: Path) -> None:
    """Log a warning where most sentences end in a word that holds its full stop."""
    raw = sum(words[-1][0].isalnum() and words[-1][-1] in ".!?" for words in dataset["words"])
    if 2 * raw > len(dataset):
        log.warning(
            "%s: words are what blanks separate, but %d of %d texts end in a word such as 'it!': "
            "write 'it !', as the treebank does (bench.predict separates them)",
            *(path, raw, len(dataset)),
        )


def _trees(path: Path, split: str, min_phrase: int | None) -> Iterator[Row]:
    """Read the official files: one tree a line."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            words, (whole, *inner) = parse(line)
        except ValueError as error:
            raise DataError(f"{path}, line {number}: {error}") from None
        name = f"{split}-{number}"
        yield _row(name, words, whole.sentiment)
        if min_phrase is None:
            continue
        phrases = (part for part in inner if part.end - part.start >= min_phrase)
        for count, (sentiment, start, end) in enumerate(phrases, start=1):
            yield _row(f"{name}-{count}", words[start:end], sentiment, phrase=True)


def _sentences(rows: Iterable[tuple[int, Row]], path: Path, split: str) -> Iterator[Row]:
    """Read the hub's files: `text`, tokenised already, and `label`, 0 to 4."""
    for number, row in rows:
        text, label = row.get("text"), row.get("label")
        parts = text.replace("\t", " ").split(" ") if isinstance(text, str) else []
        words = [unescape(word) for word in parts if word]
        if not words:
            raise DataError(f"{path}, line {number}: 'text' is missing or empty")
        if type(label) is not int or label not in range(len(LABELS)):
            raise DataError(f"{path}, line {number}: 'label' is {label!r}, expected 0 to 4")
        yield _row(f"{split}-{number}", words, label)


def _row(name: str, words: list[str], label: int, phrase: bool = False) -> Row:
    return {"id": name, "words": words, "label": LABELS[label], "phrase": phrase}
