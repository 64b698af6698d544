"""Archives that nobody packs by accident: one line, and nothing is left behind."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from elmo_core.downloads.archives import unpack
from elmo_core.errors import FetchError
from tests.faults.archives import trial


def zip_of(path: Path, *names: str) -> bytearray:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"text")
    return bytearray(path.read_bytes())


def encrypted(path: Path) -> None:
    whole = zip_of(path, "a.txt")
    whole[6] |= 1  # the flag, in the file's own header and in the directory
    whole[whole.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(whole)


def unknown_method(path: Path) -> None:
    whole = zip_of(path, "a.txt")
    whole[8] = 99
    whole[whole.index(b"PK\1\2") + 10] = 99
    path.write_bytes(whole)


def long_name(path: Path) -> None:
    zip_of(path, "a.txt", "x" * 300)


def long_name_in_tar(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("x" * 300), io.BytesIO())


def file_then_folder(path: Path) -> None:
    zip_of(path, "a.txt", "a.txt/b.txt")


def folder_then_file(path: Path) -> None:
    zip_of(path, "a.txt/b.txt", "a.txt")


@pytest.mark.parametrize(
    "pack",
    [encrypted, unknown_method, long_name, long_name_in_tar, file_then_folder, folder_then_file],
)
def test_a_strange_archive_leaves_nothing(pack: Callable[[Path], None], tmp_path: Path) -> None:
    archive, out = tmp_path / "archive", tmp_path / "out"
    pack(archive)
    with pytest.raises(FetchError, match="archive: not unpacked: ") as caught:
        unpack(archive, out, lambda name: name)
    assert len(str(caught.value).splitlines()) == 1
    assert list(out.iterdir()) == []
    assert archive.exists()


def test_a_file_that_is_named_in_two_ways_is_one(tmp_path: Path) -> None:
    zip_of(tmp_path / "archive", "a.txt", "./a.txt")
    found = unpack(tmp_path / "archive", tmp_path / "out", lambda name: name)
    assert found == [tmp_path / "out" / "a.txt"]
    assert found[0].read_bytes() == b"text"


@pytest.mark.parametrize("number", range(5))
def test_no_archive_reaches_beyond_its_folder(number: int, tmp_path: Path) -> None:
    """A few of `python -m tests.faults.archives`."""
    for each in range(20):
        (tmp_path / f"{each}").mkdir()
        _, wrong = trial(f"{number}.{each}", tmp_path / f"{each}")
        assert wrong is None, (number, each)


def test_what_stood_there_stays_when_an_archive_is_refused(tmp_path: Path) -> None:
    archive, out = tmp_path / "archive", tmp_path / "out"
    zip_of(archive, "a.txt", "x" * 300)
    out.mkdir()
    (out / "a.txt").write_text("mine")
    with pytest.raises(FetchError):
        unpack(archive, out, lambda name: name)
    assert (out / "a.txt").read_text() == "mine"
