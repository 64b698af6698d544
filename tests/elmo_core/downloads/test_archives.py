"""Archives that others packed: what is wanted comes out, nothing else, nowhere else."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from elmo_core.downloads.archives import unpack
from elmo_core.errors import FetchError

CONTENT = b"one\n" * 1000


def packed(path: Path, names: list[str]) -> Path:
    """A zip or a tar, by the name of `path`, with the same content under each name."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, CONTENT)
        return path
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(CONTENT)
            archive.addfile(member, io.BytesIO(CONTENT))
    return path


def text_files(name: str) -> str | None:
    return f"out/{name.rsplit('/', 1)[-1]}" if name.endswith(".txt") else None


def files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


@pytest.fixture(params=["a.zip", "a.tar.gz"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def test_what_is_wanted_is_placed(archive: Path, tmp_path: Path) -> None:
    packed(archive, ["top/a.txt", "top/deep/b.txt", "top/c.md"])
    folder = tmp_path / "folder"
    assert unpack(archive, folder, text_files) == [folder / "out/a.txt", folder / "out/b.txt"]
    assert files(folder) == ["out/a.txt", "out/b.txt"]
    assert (folder / "out/a.txt").read_bytes() == CONTENT


@pytest.mark.parametrize("name", ["../x.txt", "/x.txt", "a/../../x.txt", "..\\x.txt", "C:/x.txt"])
def test_names_that_lead_out_are_refused_whole(name: str, archive: Path, tmp_path: Path) -> None:
    packed(archive, ["top/a.txt", name])
    folder = tmp_path / "in" / "folder"
    with pytest.raises(FetchError, match="leads out of the folder"):
        unpack(archive, folder, text_files)
    assert files(tmp_path) == [archive.name]


def test_links_are_refused(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        link = tarfile.TarInfo("top/a.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(FetchError, match="not a regular file"):
        unpack(archive, tmp_path / "folder", text_files)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        entry = zipfile.ZipInfo("top/a.txt")
        entry.external_attr = 0o120777 << 16
        zipped.writestr(entry, "/etc/passwd")
    with pytest.raises(FetchError, match="not a regular file"):
        unpack(tmp_path / "a.zip", tmp_path / "folder", text_files)
    assert files(tmp_path) == ["a.tar.gz", "a.zip"]


@pytest.mark.parametrize("harm", ["short", "flipped", "page"])
def test_a_damaged_archive_is_removed(harm: str, archive: Path, tmp_path: Path) -> None:
    whole = bytearray(packed(archive, [f"top/{i}.txt" for i in range(50)]).read_bytes())
    if harm == "flipped":
        for i in range(len(whole) // 3, 2 * len(whole) // 3):
            whole[i] ^= 255
    harmed = {"short": bytes(whole[:-40]), "flipped": bytes(whole), "page": b"<html></html>"}
    archive.write_bytes(harmed[harm])
    with pytest.raises(FetchError, match="the same call fetches it anew"):
        unpack(archive, tmp_path / "folder", text_files)
    assert files(tmp_path) == []
