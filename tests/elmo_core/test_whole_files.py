"""Files that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from elmo_core.whole_files import replacing, write_text


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as failed, replacing(tmp_path / "folder") as temporary:
        temporary.touch()
    assert failed.value.filename == str(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_text_keeps_its_line_ends_and_is_in_utf_8(tmp_path: Path) -> None:
    write_text(tmp_path / "below" / "a", "é\r\nb\n")
    assert (tmp_path / "below" / "a").read_bytes() == b"\xc3\xa9\r\nb\n"


def test_two_writers_of_one_process_number_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with replacing(path) as first, replacing(path) as second:
        first.write_text("of one machine")
        second.write_text("of another")
    assert path.read_text() == "of one machine"
    assert list(tmp_path.iterdir()) == [path]
