"""GloVe vectors by name: fetched once, found by every reader."""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from elmo_core.downloads import glove
from elmo_core.errors import FetchError
from elmo_core.word_vectors import WordVectors
from tests.file_server import FileServer, serving


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.txt", text)
    return content.getvalue()


@pytest.fixture
def server(local_downloads: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    packed = zipped(**{"glove.6B.50d": "the 1 2\nof 3 4\n", "glove.6B.100d": "the 5 6\n"})
    with serving({"glove.6B.zip": packed}) as server:
        archive = glove.Archive(f"{server.url}/glove.6B.zip", hashlib.sha256(packed).hexdigest(), 1)
        monkeypatch.setattr(glove, "VECTORS", dict.fromkeys(glove.VECTORS, archive))
        yield server


def test_only_what_is_asked_for_is_kept(server: FileServer) -> None:
    path = glove.fetch("glove.6B.50d")
    assert path.read_text() == "the 1 2\nof 3 4\n"
    assert [p.name for p in path.parent.iterdir() if p.suffix != ".lock"] == ["glove.6B.50d.txt"]
    server.files.clear()
    assert glove.fetch("glove.6B.50d") == path == glove.find("glove.6B.50d")


def test_an_archive_that_was_put_there_is_checked_too(server: FileServer) -> None:
    target = glove.cached("glove.6B.50d")
    target.parent.mkdir(parents=True)
    packed = target.parent / "glove.6B.zip"
    packed.write_bytes(zipped(**{"glove.6B.50d": "the 6 6\n"}))
    with pytest.raises(FetchError, match="another file than"):
        glove.fetch("glove.6B.50d")
    assert packed.exists()
    assert not target.exists()


def test_several_may_ask_at_once(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = glove.unpack

    def slowly(*given: Any) -> Any:
        time.sleep(0.2)
        return unpack(*given)

    monkeypatch.setattr(glove, "unpack", slowly)
    with ThreadPoolExecutor() as pool:
        paths = list(pool.map(glove.fetch, ["glove.6B.50d", "glove.6B.50d", "glove.6B.100d"]))
    assert all(path.is_file() for path in paths)


def test_a_name_will_do_wherever_vectors_are_read(server: FileServer) -> None:
    with pytest.raises(FetchError, match=r"glove\.fetch\('glove\.6B\.50d'\) fetches them"):
        WordVectors("glove.6B.50d")
    glove.fetch("glove.6B.50d")
    assert WordVectors("glove.6B.50d")(["of"]).tolist() == [[3, 4]]


def test_paths_stay_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert glove.find("~/mine.txt") == tmp_path / "mine.txt"
    assert glove.find("glove.mine") == Path("glove.mine")


def test_an_archive_without_the_vectors(server: FileServer) -> None:
    with pytest.raises(FetchError, match=r"no glove\.6B\.300d\.txt inside"):
        glove.fetch("glove.6B.300d")


def test_the_wrong_archive_is_refused(server: FileServer) -> None:
    server.files["glove.6B.zip"] = zipped(**{"glove.6B.50d": "the 6 6\n"})
    with pytest.raises(FetchError, match="checksum"):
        glove.fetch("glove.6B.50d")
