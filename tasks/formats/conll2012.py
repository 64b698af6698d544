"""What CoNLL-2012's English part of OntoNotes is, for the tasks that read it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.base.files import find
from tasks.base.published import Count, Source

log = logging.getLogger(__name__)

CONLL_2012 = {  # of documents the parts
    "train": {"documents": 2_802, "sentences": 75_187, "tokens": 1_299_312},
    "dev": {"documents": 343, "sentences": 9_603, "tokens": 163_104},
    "test": {"documents": 348, "sentences": 9_479, "tokens": 169_579},
}
"""The shared task's own release, v4: coreference is trained on it."""

ONTONOTES = {
    "train": {"sentences": 115_812},
    "dev": {"sentences": 15_680},
    "test": {"sentences": 9_479},
}
"""All of OntoNotes 5 that has propositions, with CoNLL-2012's test set: SRL is trained on it (He et
al. 2017). Its sentences, as papers on it count them, are half as many again as those of v4."""


def find_files(
    folder: Path, names: Sequence[str], folders: Sequence[str], patterns: Sequence[str]
) -> tuple[Path | None, list[Path]]:
    """Find the file of a split, or its folder, up to three levels below `folder`, and its files.

    Args:
        folder: where the user's data lies.
        names: what the file of the split may be called.
        folders: what its folder may be called, if there is no such file.
        patterns: of file names in that folder; the first that fits any counts.

    Returns:
        The file, which is also all that there is to read; or the first folder of one of `folders`
        that has files of such names, and these: only those below a folder `english` if there is
        one. (None, []) if there is neither.
    """
    path = find(folder, names)
    if path is not None:
        return path, [path]
    places = (
        place
        for name in folders
        for depth in ("", "*/", "*/*/", "*/*/*/")
        for place in sorted(folder.glob(depth + name))
    )
    for place in places:
        for pattern in patterns:
            files = sorted(each for each in place.rglob(pattern) if each.name[0] != ".")
            if files:
                english = [each for each in files if "english" in each.relative_to(place).parts]
                return place, english or files
    return None, []


def check_size(path: Path, split: str, found: int, published: Mapping[str, int]) -> None:
    """Warn where a split has not as many of the first figure as were published."""
    figure, number = next(iter(published.items()))
    if found != number:
        log.warning(
            "%s: %d %s, but the %s set of the paper has %d: scores will not compare",
            *(path, found, figure, split, number),
        )


def source(
    task: str,
    *,
    version: str,
    files_from: str,
    citation: str,
    metric: str,
    counts: Mapping[str, Mapping[str, int]],
    count: Count,
) -> Source:
    """Describe OntoNotes as `task` reads it; `files_from` says what makes its files."""
    return Source(
        name="conll2012",
        task=task,
        title="OntoNotes 5 with the test set of CoNLL-2012, English",
        kinds=("paper",),
        origin="https://catalog.ldc.upenn.edu/LDC2013T19",
        version=f"OntoNotes 5.0, {version}",
        files=(),
        megabytes=None,
        prepare=None,
        obtain=f"OntoNotes 5.0 comes from the LDC (LDC2013T19); {files_from} of *gold_conll files "
        "from it",
        licence="LDC user agreement",
        citation=citation,
        metric=metric,
        counts=counts,
        count=count,
    )
