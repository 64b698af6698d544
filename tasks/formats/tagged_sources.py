"""Where text with parts of speech comes from, and what is in it."""

from __future__ import annotations

from pathlib import Path

from tasks.base.published import Found, Source
from tasks.formats import ud_ewt
from tasks.formats.tagged import XPOS, locate, read


def count(folder: Path, split: str) -> Found | None:
    """Count the sentences and tokens of a split."""
    paths, rows = locate(folder, split), read(folder, split, XPOS)
    if rows is None:
        return None
    tokens = sum(map(len, rows["tokens"]))
    return Found(paths[0], {"sentences": len(rows), "tokens": tokens})


UD_EWT = Source(
    name="ud-ewt",
    task="pos",
    title="Universal Dependencies, English Web Treebank",
    kinds=("open",),
    origin=ud_ewt.ORIGIN,
    version=ud_ewt.COMMIT,
    files=ud_ewt.FILES,
    megabytes=18,
    prepare=None,
    obtain=None,
    licence=ud_ewt.LICENCE,
    citation=ud_ewt.CITATION,
    metric="accuracy",
    counts={
        "train": {"sentences": 12_544, "tokens": 204_577},
        "dev": {"sentences": 2_001, "tokens": 25_147},
        "test": {"sentences": 2_077},
    },
    count=count,
)

PTB = Source(
    name="ptb",
    task="pos",
    title="Penn Treebank, Wall Street Journal",
    kinds=("paper",),
    origin="https://catalog.ldc.upenn.edu/LDC99T42",
    version="3",
    files=(),
    megabytes=None,
    prepare=None,
    obtain="Treebank-3 comes from the LDC (LDC99T42); the files are those of parsed/mrg/wsj, "
    "wsj_0001.mrg to wsj_2454.mrg, in folders or not",
    licence="LDC user agreement",
    citation="Marcus et al. 1993, Building a large annotated corpus of English",
    metric="accuracy",
    counts={
        "train": {"sentences": 38_219, "tokens": 912_344},
        "dev": {"sentences": 5_527, "tokens": 131_768},
        "test": {"sentences": 5_462, "tokens": 129_654},
    },
    count=count,
)

SOURCES = (UD_EWT, PTB)
