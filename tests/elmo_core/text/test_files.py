"""Which files are texts."""

from __future__ import annotations

from pathlib import Path

from elmo_core.text.files import find_texts


def test_what_a_folder_hides_is_no_text(tmp_path: Path) -> None:
    for name in (".books/a.txt", ".books/.a.txt.17.tmp", ".books/.git/b.txt", ".books/c/d.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A line .\n")
    assert [*find_texts([tmp_path / ".books"])] == [".books/a.txt", ".books/c/d.txt"]
    hidden = tmp_path / ".books" / ".git" / "b.txt"
    assert [*find_texts([hidden]).values()] == [hidden.resolve()]
