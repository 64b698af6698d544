"""Which files are texts."""

from __future__ import annotations

from pathlib import Path

from elmo_core.text.files import find_texts


def test_hidden_files_are_no_texts(tmp_path: Path) -> None:
    root = tmp_path / ".mine" / "texts"
    for name in ("b/a.txt", ".a.txt.77.tmp", "b/.DS_Store", ".git/HEAD"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    assert list(find_texts([root])) == ["texts/b/a.txt"]
    assert list(find_texts([root / ".a.txt.77.tmp"])) == [".a.txt.77.tmp"]  # as it was named
