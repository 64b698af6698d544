"""Where the files of semantic roles are, and their (sentence, predicate) pairs."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from datasets import Dataset

from tasks.base.files import to_dataset
from tasks.formats.conll2012 import ONTONOTES, check_size, find_files
from tasks.srl.columns import Sentence, read_columns

log = logging.getLogger(__name__)

FOLDERS = {"train": ["train"], "dev": ["development"], "test": ["conll-2012-test", "test"]}
KINDS = ("*gold_conll",)
CONLL_2005 = {
    "train": ["train-set", "conll05.train.txt"],
    "dev": ["dev-set", "devel-set", "conll05.devel.txt"],
    "test": ["test.wsj", "test-set", "conll05.test.wsj.txt"],
}


def names(split: str) -> list[str]:
    """Return the file names of a split; the first one found counts."""
    plain = [f"{split}{end}" for end in (".tsv", ".conll", ".txt", ".english.v4_gold_conll")]
    plain += CONLL_2005[split]
    return [name + packed for name in plain for packed in ("", ".gz")]


def read(folder: Path, split: str) -> Dataset | None:
    """Read the predicates of a split: one example for each.

    Columns: `id`, `sentence` (the id that a sentence's examples share), `document_id` (see
    to_dataset), `words`, `predicate` (its index), `lemma`, `tags` (BIO). Read is the first of: one
    file of the split's `names`; a CoNLL-2012 folder (`train`, `development`, `conll-2012-test`, up
    to three levels down) with all its `*gold_conll` files, those below a folder `english` if there
    is one. None if `folder` has neither. Logs what was found; warns if it is not OntoNotes' number
    of sentences.
    """
    path, files = locate(folder, split)
    if path is None:
        return None
    counts = Counter[str]()
    dataset = to_dataset(_examples(files, counts), path)
    log.info(
        "%s: %d predicates in %d sentences; %d sentences without a predicate give no example",
        *(path, len(dataset), counts["sentences"], counts["without"]),
    )
    if counts["nested"]:
        log.info("%s: %d arguments inside another one left out", path, counts["nested"])
    if "gold_conll" in files[0].name:
        check_size(path, split, counts["sentences"], ONTONOTES[split])
    return dataset


def locate(folder: Path, split: str) -> tuple[Path | None, list[Path]]:
    """Find the file of a split, or its folder, and the files to read."""
    return find_files(folder, names(split), FOLDERS[split], KINDS)


def _examples(files: Iterable[Path], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    sentences = (sentence for file in files for sentence in read_columns(file, counts))
    for number, sentence in enumerate(sentences, start=1):
        counts["without"] += not sentence.propositions
        yield from _of(sentence, number)


def _of(sentence: Sentence, number: int) -> Iterator[dict[str, Any]]:
    """Make the examples of a sentence; `number` is its own, counted through the split."""
    name = f"{sentence.document}:{number}"
    for place, proposition in enumerate(sentence.propositions):
        yield {
            "id": f"{name}:{place}",
            "sentence": name,
            "document_id": sentence.document,
            "words": sentence.words,
            "predicate": proposition.predicate,
            "lemma": proposition.lemma,
            "tags": proposition.tags,
        }
