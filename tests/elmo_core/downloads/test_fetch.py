"""download() against a small server on this machine; nothing reaches outside."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from elmo_core.downloads import fetch
from elmo_core.downloads.fetch import download
from elmo_core.errors import FetchError
from tests.file_server import FileServer, serving

CONTENT = bytes(range(256)) * 1000


@pytest.fixture(autouse=True)
def _surroundings(local_downloads: None) -> None: ...


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving({"model.bin": CONTENT}) as server:
        yield server


@pytest.fixture
def url(server: FileServer) -> str:
    return f"{server.url}/model.bin"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "model.bin"


def part_of(target: Path) -> Path:
    return target.with_name("model.bin.part")


def test_a_plain_download(url: str, target: Path) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert download(url, target, sha256=digest) == target
    assert target.read_bytes() == CONTENT
    assert not part_of(target).exists()


def test_the_first_digits_of_a_checksum_will_do(url: str, target: Path) -> None:
    with pytest.raises(FetchError, match="checksum"):
        download(url, target, sha256="0123")
    download(url, target, sha256=hashlib.sha256(CONTENT).hexdigest()[:8])
    assert target.read_bytes() == CONTENT


def test_what_is_there_is_not_fetched_again(server: FileServer, url: str, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"mine")
    download(url, target)
    assert target.read_bytes() == b"mine"
    assert server.asked == []


def test_a_cut_connection_is_resumed(server: FileServer, url: str, target: Path) -> None:
    server.cuts = [1000, 500]
    download(url, target)
    assert target.read_bytes() == CONTENT
    assert [part for _, part in server.asked] == [None, "bytes=1000-", "bytes=1500-"]


def test_a_later_call_goes_on_where_an_earlier_one_gave_up(
    server: FileServer, url: str, target: Path
) -> None:
    server.cuts = [100] * fetch.ATTEMPTS
    with pytest.raises(FetchError, match="gave up after 5 attempts"):
        download(url, target)
    assert not target.exists()
    assert part_of(target).stat().st_size == 100 * fetch.ATTEMPTS
    download(url, target)
    assert target.read_bytes() == CONTENT


def test_a_server_without_ranges_starts_again(server: FileServer, url: str, target: Path) -> None:
    server.honours_range, server.cuts = False, [1000]
    download(url, target)
    assert target.read_bytes() == CONTENT


def test_a_part_that_is_too_long_starts_again(url: str, target: Path) -> None:
    target.parent.mkdir()
    part_of(target).write_bytes(b"x" * (len(CONTENT) + 1))
    download(url, target)
    assert target.read_bytes() == CONTENT


def test_a_busy_server_is_asked_again(server: FileServer, url: str, target: Path) -> None:
    server.failures = [503, 429]
    download(url, target)
    assert target.read_bytes() == CONTENT


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="gave up"):
        download("http://127.0.0.1:9/model.bin", tmp_path / "model.bin")


def test_a_missing_file_is_not_asked_for_twice(server: FileServer, url: str, target: Path) -> None:
    server.failures = [404]
    with pytest.raises(FetchError, match="answered 404"):
        download(url, target)
    assert len(server.asked) == 1
    assert not target.exists()


def test_a_web_page_is_refused(server: FileServer, url: str, target: Path) -> None:
    server.pages.add("model.bin")
    with pytest.raises(FetchError, match="web page"):
        download(url, target)
    assert not target.exists()


def test_the_wrong_file_is_refused_and_removed(url: str, target: Path) -> None:
    with pytest.raises(FetchError, match="checksum"):
        download(url, target, sha256="0" * 64)
    assert not target.exists()
    assert not part_of(target).exists()


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_offline(
    server: FileServer, url: str, target: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "environment":
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(FetchError) as caught:
        download(url, target, offline=how == "argument")
    assert url in str(caught.value)
    assert str(target) in str(caught.value)
    assert server.asked == []


def test_a_full_disk(url: str, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(FetchError, match=r"too full: 0\.3 MB are needed, 0\.0 MB are free"):
        download(url, target)


def test_a_folder_that_cannot_be_written(url: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FetchError, match="cannot write"):
        download(url, tmp_path / "file" / "model.bin")


def test_two_at_once_fetch_once(server: FileServer, url: str, target: Path) -> None:
    threads = [threading.Thread(target=download, args=(url, target)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert target.read_bytes() == CONTENT
    assert len(server.asked) == 1


def test_progress_is_shown_on_a_terminal_only(
    url: str,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    download(url, target)
    assert capsys.readouterr().err == ""
    target.unlink()
    monkeypatch.setattr(fetch.sys.stderr, "isatty", lambda: True)
    download(url, target)
    assert capsys.readouterr().err == "\rmodel.bin: 0.3 MB of 0.3 MB\n"
