"""The English Web Treebank of Universal Dependencies, for the tasks that read it."""

from __future__ import annotations

from tasks.base.published import SPLITS, File, github

REPOSITORY = "UniversalDependencies/UD_English-EWT"
ORIGIN = f"https://github.com/{REPOSITORY}"
COMMIT = "15d613d"
LICENCE = "CC BY-SA 4.0"
CITATION = "Silveira et al. 2014, A gold standard dependency corpus for English"
_SHA256 = {
    "train": "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    "dev": "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
    "test": None,
}


def name(split: str) -> str:
    """Return the file name of a split in UD English-EWT."""
    return f"en_ewt-ud-{split}.conllu"


FILES = tuple(
    File(
        url=github(REPOSITORY, COMMIT, name(split)),
        path=name(split),
        sha256=_SHA256[split],
    )
    for split in SPLITS
)
