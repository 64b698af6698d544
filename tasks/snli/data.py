"""SNLI 1.0 readers: the official jsonl and txt files, the hub's parquet files."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datasets import Dataset

from elmo_core.text.tokenizer import tokenize
from tasks.base.clusters import named_by
from tasks.base.files import find, read_jsonl, to_dataset
from tasks.base.parquet import read_rows
from tasks.base.text_files import read_lines
from tasks.task import DataError

log = logging.getLogger(__name__)

LABELS = ("entailment", "neutral", "contradiction")  # in the hub's order: 0, 1, 2
NO_LABEL = "-"  # the annotators did not agree
UNLABELLED = (-1, None)  # what the hub has for it


def names(split: str) -> list[str]:
    """Return the names that a split's file may have, in order of preference."""
    official = [f"snli_1.0_{split}.jsonl", f"snli_1.0_{split}.txt"]
    usual = [f"{split}.parquet", f"{split}.jsonl"]
    return official + usual + (["validation.parquet", "validation.jsonl"] * (split == "dev"))


def read(folder: Path, split: str) -> Dataset | None:
    """Read the labelled pairs of a split, tokenised; it is logged how many unlabelled ones there
    were.

    Columns: `id`, `caption` (what pairs of one premise share; `picture#number` in SNLI), `premise`,
    `hypothesis` (lists of words), `label`. None if `folder` has no file for the split.
    """
    path = find(folder, names(split))
    if path is None:
        return None
    dropped = 0
    seen: set[str] = set()

    def labelled() -> Iterator[dict[str, Any]]:
        nonlocal dropped
        for number, row in rows(path):
            label = gold_label(row, path, number)
            if label == NO_LABEL:
                dropped += 1
                continue
            name = str(row.get("pairID") or f"{split}-{number}")
            if name in seen:  # nobody scores by it, so what repeats it is still an example
                name = f"{name}:{number}"
            seen.add(name)
            yield {
                "id": name,
                "caption": str(row.get("captionID") or named_by(str(row.get("sentence1")))),
                "premise": _words(row, "sentence1", path, number),
                "hypothesis": _words(row, "sentence2", path, number),
                "label": label,
            }

    dataset = to_dataset(labelled(), path)
    log.info("%s: %d pairs, %d without a label dropped", path, len(dataset), dropped)
    return dataset


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read (line, row) of a file in any of the editions, under the names that the jsonl has."""
    return {".jsonl": read_jsonl, ".txt": _read_txt, ".parquet": _read_parquet}[path.suffix](path)


def gold_label(row: dict[str, Any], path: Path, number: int) -> str:
    """Return the label of a row: one of LABELS, or NO_LABEL."""
    label = row.get("gold_label")
    if label is None:
        raise DataError(f"{path}, line {number}: no key 'gold_label'")
    if label not in LABELS and label != NO_LABEL:
        known = ", ".join(LABELS)
        raise DataError(f"{path}, line {number}: unknown label {label!r}; known: {known} and '-'")
    return label


def _words(row: dict[str, Any], key: str, path: Path, number: int) -> list[str]:
    text = row.get(key)
    words = tokenize(text) if isinstance(text, str) else []
    if not words:
        raise DataError(f"{path}, line {number}: {key!r} is missing or empty")
    return words


def _read_txt(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the tab-separated edition: a header line, no quoting."""
    header: list[str] = []
    for number, line in read_lines(path):
        fields = line.split("\t")
        if not header:
            header = fields
        elif len(fields) > len(header):
            raise DataError(
                f"{path}, line {number}: expected {len(header)} columns, found {len(fields)}"
            )
        elif line:
            yield number, dict(zip(header, fields, strict=False))


def _read_parquet(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the hub's edition: premise, hypothesis, label 0–2 or -1."""
    for number, row in read_rows(path, "premise", "hypothesis", "label"):
        label = row["label"]
        if label not in UNLABELLED and (type(label) is not int or label not in range(len(LABELS))):
            known = ", ".join(f"{i} ({name})" for i, name in enumerate(LABELS))
            raise DataError(f"{path}, row {number}: unknown label {label!r}; known: {known} and -1")
        yield (
            number,
            {
                "sentence1": row["premise"],
                "sentence2": row["hypothesis"],
                "gold_label": NO_LABEL if label in UNLABELLED else LABELS[label],
            },
        )
