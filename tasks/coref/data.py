"""Where the files of coreference are, and their documents."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from datasets import Dataset

from tasks.base.files import to_dataset
from tasks.coref.columns import Document, read_columns
from tasks.formats.conll2012 import CONLL_2012, check_size, find_files
from tasks.task import DataError

log = logging.getLogger(__name__)

FOLDERS = {
    "train": ["train"],
    "dev": ["development", "dev"],
    "test": ["conll-2012-test", "test"],
}
# In one folder the same annotation may stand beside gold and beside automatic syntax: one is read.
KINDS = ("*gold_conll", "*auto_conll", "*conll")
# The genre is the first part of an OntoNotes name (bc/cctv/00/cctv_0001), the second of GUM's.
_GENRE = re.compile(r"(bc|bn|mz|nw|pt|tc|wb)/|GUM_([a-z]+)_")


def names(split: str) -> list[str]:
    """Return the file names of a split; the first one found counts."""
    plain = [f"{split}.conll", f"{split}.english.v4_gold_conll"]
    return [name + packed for name in plain for packed in ("", ".gz")]


def read(folder: Path, split: str, *, drop_singletons: bool) -> Dataset | None:
    """Read the documents of a split: one example for each, or for each part of one.

    Columns: `id` (name and part), `genre` ("" if the name tells none), `sentences` (of words),
    `speakers` (likewise, "" where none is told), `clusters` of mentions [first token, last token],
    both inclusive, counted through the document. Read is the first of: one file of the split's
    `names`; a folder of the split, up to three levels down, with all its CoNLL files, those below a
    folder `english` if there is one. None if `folder` has neither.

    Logs what was found and dropped; warns if a CoNLL-2012 folder has another number of documents
    than was published. Raises DataError for two documents of one name and part.
    """
    path, files = locate(folder, split)
    if path is None:
        return None
    counts = Counter[str]()
    dataset = to_dataset(_examples(files, drop_singletons, counts), path)
    log.info(
        "%s: %d documents, %d tokens, %d mentions in %d clusters; documents with speakers: %d",
        *(path, len(dataset), counts["tokens"], counts["mentions"], counts["clusters"]),
        counts["spoken"],
    )
    if not counts["clusters"]:
        log.warning("%s: not one cluster, so that nothing can be found in %s", path, split)
    if counts["singletons"]:
        done = "dropped (task.drop_singletons)" if drop_singletons else "kept"
        log.info("%s: %d clusters of one mention, %s", path, counts["singletons"], done)
    if counts["repeated"]:
        log.info("%s: %d mentions stand in two clusters", path, counts["repeated"])
    if counts["doubled"]:
        log.info("%s: %d mentions stand twice in a cluster, taken once", path, counts["doubled"])
    if "gold_conll" in files[0].name:
        check_size(path, split, len(dataset), CONLL_2012[split])
    return dataset


def locate(folder: Path, split: str) -> tuple[Path | None, list[Path]]:
    """Find the file of a split, or its folder, and the files to read."""
    return find_files(folder, names(split), FOLDERS[split], KINDS)


def _examples(
    files: Iterable[Path], drop_singletons: bool, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    seen: dict[str, Path] = {}
    for file in files:
        for document in read_columns(file):
            name = f"{document.name}:{document.part}"
            if name in seen:
                raise DataError(f"{file}: {name} occurs for the second time, after {seen[name]}")
            seen[name] = file
            if document.sentences:
                yield _example(name, document, drop_singletons, counts)


def _example(
    name: str, document: Document, drop_singletons: bool, counts: Counter[str]
) -> dict[str, Any]:
    several = [cluster for cluster in document.clusters if len(cluster) > 1]
    counts["singletons"] += len(document.clusters) - len(several)
    clusters = several if drop_singletons else document.clusters
    mentions = [mention for cluster in clusters for mention in cluster]
    counts["tokens"] += sum(map(len, document.sentences))
    counts["spoken"] += any(map(any, document.speakers))
    counts["clusters"] += len(clusters)
    counts["mentions"] += len(mentions)
    counts["doubled"] += document.doubled
    counts["repeated"] += len(mentions) - len(set(mentions))
    genre = _GENRE.match(document.name)
    return {
        "id": name,
        "genre": (genre[1] or genre[2]) if genre else "",
        "sentences": document.sentences,
        "speakers": document.speakers,
        "clusters": [[list(mention) for mention in cluster] for cluster in clusters],
    }
