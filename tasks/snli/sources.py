"""Where SNLI comes from, and what is in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tasks.base.files import find
from tasks.base.published import File, Found, Source
from tasks.snli.data import LABELS, NO_LABEL, gold_label, names, rows

COMMIT = "cdb5c3d5eed6ead6e5a341c8e56e669bb666725b"


def count(folder: Path, split: str) -> Found | None:
    """Count the pairs of a split, and those of each label."""
    path = find(folder, names(split))
    if path is None:
        return None
    labels = Counter(gold_label(row, path, number) for number, row in rows(path))
    return Found(path, _counts(*(labels[label] for label in (*LABELS, NO_LABEL))))


def _counts(entailment: int, neutral: int, contradiction: int, unlabelled: int) -> dict[str, int]:
    return {
        "pairs": entailment + neutral + contradiction + unlabelled,
        "entailment": entailment,
        "neutral": neutral,
        "contradiction": contradiction,
        "without a label": unlabelled,
    }


def _file(split: str, name: str) -> File:
    url = f"hf://datasets/stanfordnlp/snli@{COMMIT}/plain_text/{name}-00000-of-00001.parquet"
    return File(url=url, path=f"{split}.parquet", sha256=None)


SOURCES = (
    Source(
        name="snli",
        task="snli",
        title="SNLI 1.0",
        kinds=("open", "paper"),
        origin="https://nlp.stanford.edu/projects/snli, on the hub as stanfordnlp/snli",
        version=COMMIT,
        files=(_file("train", "train"), _file("dev", "validation"), _file("test", "test")),
        megabytes=20,
        prepare=None,
        obtain=None,
        licence="CC BY-SA 4.0",
        citation="Bowman et al. 2015, A large annotated corpus for learning natural language "
        "inference",
        metric="accuracy",
        counts={
            "train": _counts(183_416, 182_764, 183_187, 785),
            "dev": _counts(3_329, 3_235, 3_278, 158),
            "test": _counts(3_368, 3_219, 3_237, 176),
        },
        count=count,
    ),
)
