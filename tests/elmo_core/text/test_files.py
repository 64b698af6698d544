"""Which files are texts, and how they are read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from elmo_core.errors import TextError
from elmo_core.text.files import find_texts, read_lines, size_of

Compress = Callable[[bytes], bytes]
COMPRESSED = pytest.mark.parametrize(
    ("end", "compress"), [(".bz2", bz2.compress), (".gz", gzip.compress), (".xz", lzma.compress)]
)


def test_hidden_files_are_no_texts(tmp_path: Path) -> None:
    root = tmp_path / ".mine" / "texts"
    for name in ("b/a.txt", ".a.txt.77.tmp", "b/.DS_Store", ".git/HEAD"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    assert list(find_texts([root])) == ["texts/b/a.txt"]
    assert list(find_texts([root / ".a.txt.77.tmp"])) == [".a.txt.77.tmp"]  # as it was named


def test_what_is_made_of_the_texts_is_no_text(tmp_path: Path) -> None:
    root, out = tmp_path / "texts", tmp_path / "texts" / "made"
    for path in (root / "a.txt", out / "raw" / "b.txt"):
        path.parent.mkdir(parents=True)
        path.touch()
    assert list(find_texts([root], out)) == ["texts/a.txt"]
    assert list(find_texts([root], tmp_path / "out")) == ["texts/a.txt", "texts/made/raw/b.txt"]
    assert list(find_texts([out / "raw"], out)) == ["raw/b.txt"]  # as it was named
    with pytest.raises(TextError, match="texts: the folder of the texts themselves"):
        find_texts([root], root)


def test_links_to_folders_are_followed_and_end(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "texts", tmp_path / "elsewhere"
    for folder in (root / "a", elsewhere / "made"):
        folder.mkdir(parents=True)
        (folder / "x.txt").touch()
    (root / "link").symlink_to(elsewhere)
    (root / "a" / "up").symlink_to(root)
    (elsewhere / "round").symlink_to(root / "link")
    names = ["texts/a/x.txt", "texts/link/made/x.txt"]
    assert list(find_texts([root])) == names
    assert list(find_texts([root], elsewhere / "made")) == names[:1]


def test_carriage_returns_alone_end_no_lines(tmp_path: Path) -> None:
    """All sentences of such a tokenised text would be one."""
    path = tmp_path / "mac.txt"
    path.write_bytes(b"One .\rTwo .\r")
    with pytest.raises(TextError, match=r"mac\.txt: its lines end in carriage returns alone"):
        list(read_lines(path))
    path.write_bytes(b"One .\r\nTwo\rhalves .\r")
    assert list(read_lines(path)) == ["One .", "Two\rhalves ."]


def test_a_pipe_is_no_text(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TextError, match="pipe: a pipe or device"):
        find_texts([tmp_path / "pipe"])


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(TextError, match=r"test_a_folder.*: cannot be read \(Permission denied\)"):
        find_texts([tmp_path])


@COMPRESSED
def test_a_compressed_text_is_read_and_called_as_if_it_were_none(
    end: str, compress: Compress, tmp_path: Path
) -> None:
    path = tmp_path / "texts" / f"a.txt{end}"
    path.parent.mkdir()
    path.write_bytes(compress("\ufeffÉté .\r\nB .\n".encode()))
    assert find_texts([tmp_path / "texts"]) == {"texts/a.txt": path}
    assert list(read_lines(path)) == ["Été .", "B ."]
    (tmp_path / "texts" / "a.txt").touch()
    with pytest.raises(TextError, match=r"would both be called texts/a.txt"):
        find_texts([tmp_path / "texts"])


@COMPRESSED
def test_a_damaged_compressed_text_is_named(end: str, compress: Compress, tmp_path: Path) -> None:
    whole = compress(Random(1).randbytes(4000).hex().encode())
    path = tmp_path / f"a.txt{end}"
    spoilt = whole[:2000] + b"spoilt" + whole[2006:]
    for content in (b"plain text", whole[:-100], spoilt):
        path.write_bytes(content)
        with pytest.raises(TextError, match=rf"a.txt{end}: cannot be read \(.+\)"):
            list(read_lines(path))


@COMPRESSED
def test_the_size_of_a_compressed_text_is_about_what_is_read(
    end: str, compress: Compress, tmp_path: Path
) -> None:
    words = Random(1).choices([f"word{i}" for i in range(2000)], k=20_000)
    plain, packed = tmp_path / "a.txt", tmp_path / f"b.txt{end}"
    plain.write_text(" ".join(words))
    packed.write_bytes(compress(plain.read_bytes()))
    size = plain.stat().st_size
    assert size_of([plain]) == size
    assert size_of([plain, packed]) == pytest.approx(2 * size, rel=0.25)
