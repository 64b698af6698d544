"""Where sets of coreference come from, and what is in them."""

from __future__ import annotations

from pathlib import Path

from elmo_core.downloads.archives import unpack
from tasks.base.published import File, Found, Source, github, github_archive
from tasks.coref import ontogum
from tasks.coref.columns import read_columns
from tasks.coref.data import locate
from tasks.formats import conll2012

GUM_COMMIT = "72ce5ac14978a324c2fd18d49484e65292cbe316"
LITBANK_COMMIT = "3e50db0ffc033d7ccbb94f4d88f6b99210328ed8"
LITBANK_ARCHIVE = "litbank.tar.gz"
# LitBank's authors divide it in ten for cross-validation. One division is wanted here: these works,
# by their numbers at Project Gutenberg, were drawn; the other seventy are the training set.
LITBANK_DEV = {215, 145, 932, 1064, 1245, 1342, 2489, 2891, 3268, 3457}
LITBANK_TEST = {
    *(32, 62, 73, 105, 171, 174, 543, 730, 766, 1023, 1661, 2166, 2807, 4300),
    *(6053, 6593, 8867, 9830, 16357, 18581),
}


def count(folder: Path, split: str) -> Found | None:
    """Count the documents, sentences, tokens, mentions and clusters of a split."""
    path, files = locate(folder, split)
    if path is None:
        return None
    counts = dict.fromkeys(("documents", "sentences", "tokens", "mentions", "clusters"), 0)
    for document in (document for file in files for document in read_columns(file)):
        counts["documents"] += 1
        counts["sentences"] += len(document.sentences)
        counts["tokens"] += sum(map(len, document.sentences))
        counts["mentions"] += sum(map(len, document.clusters))
        counts["clusters"] += len(document.clusters)
    return Found(path, counts)


def _counts(documents: int, *figures: int) -> dict[str, int]:
    names = ("sentences", "tokens", "mentions", "clusters")
    return {"documents": documents, **dict(zip(names, figures, strict=True))}


def _gum(name: str) -> File:
    url = github("amir-zeldes/gum", GUM_COMMIT, f"coref/ontogum/conllu/{name}.conllu")
    return File(url=url, path=f"{name}.conllu", sha256=None)


def _litbank(name: str) -> str | None:
    """Name the copy of a file, `dev/215_…` for
    `…/coref/conll/215_the_call_of_the_wild_brat.conll`."""
    _, found, file = name.partition("/coref/conll/")
    if not found or not file.endswith(".conll"):
        return None
    work = int(file.partition("_")[0])
    split = "dev" if work in LITBANK_DEV else "test" if work in LITBANK_TEST else "train"
    return f"{split}/{file}"


def prepare_litbank(downloads: Path, folder: Path) -> None:
    """Unpack those files of LitBank's archive that the task reads."""
    unpack(downloads / LITBANK_ARCHIVE, folder, _litbank)


ONTOGUM = Source(
    name="ontogum",
    task="coref",
    title="OntoGUM, the genres that are free for any use",
    kinds=("open",),
    origin="https://github.com/amir-zeldes/gum",
    version=f"{GUM_COMMIT} with speakers",  # which copies of before lack
    files=tuple(_gum(name) for split in ontogum.SPLITS for name in ontogum.documents(split)),
    megabytes=None,
    prepare=ontogum.prepare,
    obtain=None,
    licence="annotation CC BY 4.0; texts CC BY, CC BY-SA or public (GUM's LICENSE.md)",
    citation="Zhu et al. 2021, OntoGUM: evaluating contextualized SOTA coreference resolution on "
    "12 more genres; Zeldes 2017, The GUM corpus",
    metric="conll_f1",
    counts={
        "train": _counts(128, 7_425, 129_805, 16_854, 3_895),
        "dev": _counts(20, 1_022, 18_432, 2_366, 529),
        "test": {"documents": 20},
    },
    count=count,
)

LITBANK = Source(
    name="litbank",
    task="coref",
    title="LitBank",
    kinds=("open",),
    origin="https://github.com/dbamman/litbank",
    version=LITBANK_COMMIT,
    files=(
        File(
            url=github_archive("dbamman/litbank", LITBANK_COMMIT), path=LITBANK_ARCHIVE, sha256=None
        ),
    ),
    megabytes=None,
    prepare=prepare_litbank,
    obtain=None,
    licence="CC BY 4.0",
    citation="Bamman et al. 2020, An annotated dataset of coreference in English literature",
    metric="conll_f1",
    counts={
        "train": _counts(70, 6_086, 148_594, 20_554, 5_521),
        "dev": _counts(10, 831, 20_768, 2_669, 803),
        "test": {"documents": 20},
    },
    count=count,
)

CONLL2012 = conll2012.source(
    "coref",
    version="CoNLL-2012 v4",
    files_from="the scripts of https://conll.cemantix.org/2012 make the folders train, "
    "development and test",
    citation="Pradhan et al. 2012, CoNLL-2012 shared task",
    metric="conll_f1",
    counts={
        split: {**conll2012.CONLL_2012[split], **further}
        for split, further in {
            "train": {"mentions": 155_560, "clusters": 35_143},
            "dev": {"mentions": 19_156, "clusters": 4_546},
            "test": {"mentions": 19_764, "clusters": 4_532},
        }.items()
    },
    count=count,
)

SOURCES = (ONTOGUM, LITBANK, CONLL2012)
