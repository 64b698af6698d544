"""Readers of word-sense data: which sets are which split, and where they lie."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from datasets import Dataset

from tasks.base.files import to_dataset
from tasks.task import DataError
from tasks.wsd.corpus import KEYS, SUFFIX, read_keys, read_sentences
from tasks.wsd.inventory import FILES, read_first_senses

SETS = {
    "train": ("semcor",),
    "dev": ("semeval2007",),
    "test": ("senseval2", "senseval3", "semeval2013", "semeval2015"),
}

HELD_OUT = ("train", "dev")  # the splits that share the training set, where a part is held out

log = logging.getLogger(__name__)


def locate(folder: Path, split: str) -> list[Path]:
    """Find the texts of the split's sets, as many as there are, anywhere below `folder`."""
    found = (sorted(folder.rglob(f"{name}{SUFFIX}")) for name in SETS[split])
    return [paths[0] for paths in found if paths]


def read(folder: Path, split: str, held_out: int | None = None) -> Dataset | None:
    """Read the sentences of a split that have an instance, set after set.

    With `held_out`, every so many-th document of the training set is dev, and not training;
    dev's own sets are left alone.

    Columns: `id`, `set`, `tokens`, and of each instance `instances` (its id), `lemmas` (with part
    of speech), `spans` (first token, token after the last), `senses` (keys, of which each is
    right). None if `folder` has no set of the split. Raises DataError with file and line.
    """
    paths = texts(folder, split, held_out)
    rows: Iterable[dict[str, Any]] = (row for path in paths for row in _rows(path))
    if held_out and split in HELD_OUT:
        rows = _part(rows, held_out, dev=split == "dev")
    return to_dataset(rows, folder) if paths else None


def texts(folder: Path, split: str, held_out: int | None = None) -> list[Path]:
    """Find the texts that a split is read from; see `read`."""
    return locate(folder, "train" if held_out and split in HELD_OUT else split)


def first_senses(folder: Path) -> dict[str, str]:
    """Read the first sense of each lemma from the inventory below `folder`. Raises DataError."""
    path = inventory(folder)
    senses = read_first_senses(path)
    log.info("%s: the first senses of %d lemmas", path, len(senses))
    return senses


def inventory(folder: Path) -> Path:
    """Find the file of the sense inventory, anywhere below `folder`. Raises DataError."""
    for name in FILES:
        for path in sorted(folder.rglob(name)):
            return path
    names = ", ".join(FILES)
    raise DataError(f"no sense inventory ({names}) in {folder}: WordNet 3.0 has dict/index.sense")


def answers(text: Path) -> Path:
    """Return the file of a text's senses, which lies beside it."""
    return text.with_name(text.name.removesuffix(SUFFIX) + KEYS)


def document(row: Mapping[str, Any]) -> str:
    """Name the document that a sentence is of.

    >>> document({"id": "semcor.d001.s012"})
    'semcor.d001'
    """
    name, _, sentence = str(row["id"]).rpartition(".")
    return name or sentence


def _part(rows: Iterable[dict[str, Any]], held_out: int, *, dev: bool) -> Iterator[dict[str, Any]]:
    """Yield the sentences of every `held_out`-th document, or those of the others."""
    for number, (_, sentences) in enumerate(groupby(rows, key=document), start=1):
        if (number % held_out == 0) == dev:
            yield from sentences


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    name = path.name.removesuffix(SUFFIX)
    keys = read_keys(answers(path))
    sentences = instances = 0
    for sentence in read_sentences(path):
        sentences += 1
        instances += len(sentence.instances)
        for one in sentence.instances:
            if one.id not in keys:
                raise DataError(
                    f"{path}, line {one.line}: {answers(path).name} has no senses of {one.id}"
                )
        if sentence.instances:
            yield {
                "id": f"{name}.{sentence.id}",
                "set": name,
                "tokens": sentence.tokens,
                "instances": [one.id for one in sentence.instances],
                "lemmas": [one.lemma for one in sentence.instances],
                "spans": [[one.start, one.end] for one in sentence.instances],
                "senses": [keys[one.id] for one in sentence.instances],
            }
    if instances != len(keys):
        raise DataError(f"{answers(path)} has {len(keys)} instances, {path.name} {instances}")
    log.info("%s: %d sentences, %d instances", path, sentences, instances)
