"""Where the Stanford Sentiment Treebank comes from, and what is in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from elmo_core.downloads.archives import unpack
from tasks.base.published import SPLITS, File, Found, Source
from tasks.sst5.data import LABELS, file_of, read

ARCHIVE = "trainDevTestTrees_PTB.zip"


def count(folder: Path, split: str) -> Found | None:
    """Count the words of a split, and its sentences of each label."""
    path, sentences = file_of(folder, split), read(folder, split)
    if path is None or sentences is None:
        return None
    labels = Counter(sentences["label"])
    words = sum(map(len, sentences["words"]))
    return Found(path, _counts(words, *(labels[label] for label in LABELS)))


def _counts(words: int, *labels: int) -> dict[str, int]:
    return {"sentences": sum(labels), "words": words, **dict(zip(LABELS, labels, strict=True))}


def prepare(downloads: Path, folder: Path) -> None:
    """Unpack the archive, which has the files in a folder `trees`."""
    files = {f"trees/{split}.txt": f"{split}.txt" for split in SPLITS}
    unpack(downloads / ARCHIVE, folder, files.get)


SOURCES = (
    Source(
        name="sst5",
        task="sst5",
        title="Stanford Sentiment Treebank, five classes",
        kinds=("open", "paper"),
        origin="https://nlp.stanford.edu/sentiment",
        version="trees in PTB format",
        files=(
            File(
                url=f"https://nlp.stanford.edu/sentiment/{ARCHIVE}",
                path=ARCHIVE,
                sha256="5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
            ),
        ),
        megabytes=0.8,
        prepare=prepare,
        obtain=None,
        licence="none stated; used for research",
        citation="Socher et al. 2013, Recursive deep models for semantic compositionality over a "
        "sentiment treebank",
        metric="accuracy",
        counts={
            "train": _counts(163_563, 1_092, 2_218, 1_624, 2_322, 1_288),
            "dev": _counts(21_274, 139, 289, 229, 279, 165),
            "test": _counts(42_405, 279, 633, 389, 510, 399),
        },
        count=count,
    ),
)
