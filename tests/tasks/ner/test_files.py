"""Named entities' files: which is read, and where its rows are parted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.ner.data import FILES, LONGEST, UNDIVIDED, locate, read
from tasks.task import DataError


@pytest.mark.parametrize(
    ("row", "token"),
    [
        ("10\xa0000 NN {}", "10\xa0000"),
        ("10\xa0000   NN  {}", "10\xa0000"),
        ("10\xa0000\t{}", "10\xa0000"),
        ("10 000\t{}", "10 000"),
        (" 10 000 \t {} ", "10 000"),
    ],
)
def test_a_blank_in_a_token_parts_nothing(row: str, token: str, tmp_path: Path) -> None:
    """A no-break one never does, another one does only where there are no tabs; beside one it is
    no part of the token."""
    (tmp_path / "dev.txt").write_text(row.format("B-X") + "\n", encoding="utf-8")
    (found,) = read(tmp_path, "dev") or ()
    assert (found["tokens"], found["tags"]) == ([token], ["B-X"])


def test_each_split_has_files_of_its_own_the_published_before_copies(tmp_path: Path) -> None:
    for names in FILES.values():
        for name in names:
            (tmp_path / name).touch()
    firsts = {split: locate(tmp_path, split) for split in FILES}
    assert firsts == {
        "train": tmp_path / "eng.train",
        "dev": tmp_path / "eng.testa",
        "test": tmp_path / "eng.testb",
    }
    every = [name for names in FILES.values() for name in names]
    assert len(set(every)) == len(every)


def test_sentences_of_one_file_are_numbered_through(tmp_path: Path) -> None:
    """A number is a sentence's place in the file, whichever split it is cut for."""
    (tmp_path / UNDIVIDED).write_text("".join(f"w{i} O\n\n" for i in range(1, 11)))
    for split, number in (("train", 1), ("dev", 9), ("test", 10)):
        first = (read(tmp_path, split) or [])[0]
        assert (first["id"], first["tokens"]) == (f"{split}-{number}", [f"w{number}"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 Oslo B-X\n2 is O\n\n1 Yes O\n", "its first column is numbers alone"),
        ("1\tOslo\tB-X\n1\tis\tO\n\n2\tYes\tO\n2\t.\tO\n", "its first column is numbers"),
        ("0 Oslo B-X\n1 is O\n\n2 Yes O\n3 . O\n", "its first column is numbers alone"),
        ("Oslo\tB-X\n\u00a0\tO\n", "line 2: the word is empty"),
        ("a O\n" * (LONGEST + 1), "one sentence of 1,001 tokens"),
    ],
)
def test_columns_that_are_no_sentences_are_refused(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "dev.txt").write_text(text)
    with pytest.raises(DataError, match=says):
        read(tmp_path, "dev")


def test_sentences_may_be_of_numbers_or_long(tmp_path: Path) -> None:
    long = "a O\n" * (LONGEST + 1)
    (tmp_path / "dev.txt").write_text(f"1 B-X\n2 O\n\n1 O\n3 O\n\n{long}")
    assert [len(found["tokens"]) for found in read(tmp_path, "dev") or ()] == [2, 2, LONGEST + 1]


def test_a_split_without_names_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "dev.txt").write_text("Oslo B-X\n\nyes O\n")
    (tmp_path / "test.txt").write_text("Oslo O\n")
    for split in ("dev", "test"):
        read(tmp_path, split)
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        f"{tmp_path / 'test.txt'}: not one name, so that nothing can be found in test"
    ]
