"""Labels of dev and test that training has not shown are named, once a split."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

KINDS = {"train": ("PER", "LOC"), "dev": ("PER", "GPE"), "test": ("LOC", "ORG")}


def test_unseen_labels_are_named(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for split, kinds in KINDS.items():
        rows = "".join(f"w{i} B-{kind}\nsleeps O\n\n" for i, kind in enumerate(kinds))
        (tmp_path / f"{split}.txt").write_text(rows)
    words = ("task=ner", "elmo.placement=none", "trainer=cpu", "training.max_epochs=1")
    folders = (f"data.dir={tmp_path}", f"paths.runs={tmp_path / 'runs'}")
    assert bench(*words, *folders) == 0
    said = capsys.readouterr()
    lines = [line for line in (said.out + said.err).splitlines() if "always missed" in line]
    assert lines == [
        "dev: 1 label that train does not have, always missed: GPE (train has LOC, PER)",
        "test: 1 label that train does not have, always missed: ORG (train has LOC, PER)",
    ]
