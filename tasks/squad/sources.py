"""Where SQuAD comes from, and what is in it."""

from __future__ import annotations

from pathlib import Path

from tasks.base.published import File, Found, Source
from tasks.squad.data import locate, records_of

COMMIT = "7b6d24c440a36b6815f21b70d25016731768db1f"


def count(folder: Path, split: str) -> Found | None:
    """Count the questions of a split, and their answers."""
    path = locate(folder, split)
    if path is None:
        return None
    questions = answers = 0
    for record in records_of(path):
        questions += 1
        answers += len(record["answers"]["text"])
    return Found(path, {"questions": questions, "answers": answers})


def _file(split: str, name: str) -> File:
    url = f"hf://datasets/rajpurkar/squad@{COMMIT}/plain_text/{name}-00000-of-00001.parquet"
    return File(url=url, path=f"{split}.parquet", sha256=None)


SOURCES = (
    Source(
        name="squad",
        task="squad",
        title="SQuAD 1.1",
        kinds=("open", "paper"),
        origin="https://rajpurkar.github.io/SQuAD-explorer, on the hub as rajpurkar/squad",
        version=COMMIT,
        files=(_file("train", "train"), _file("dev", "validation")),
        megabytes=16,
        prepare=None,
        obtain=None,
        licence="CC BY-SA 4.0",
        citation="Rajpurkar et al. 2016, SQuAD: 100,000+ questions for machine comprehension of "
        "text",
        metric="f1",
        counts={  # the test set was never published
            "train": {"questions": 87_599, "answers": 87_599},
            "dev": {"questions": 10_570, "answers": 34_726},
        },
        count=count,
    ),
)
