"""download() against a small server on this machine; nothing reaches outside."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from elmo_core.downloads import fetch
from elmo_core.downloads.fetch import download
from elmo_core.errors import FetchError

CONTENT = bytes(range(256)) * 1000


class Server(ThreadingHTTPServer):
    """Serves CONTENT; the attributes say how it misbehaves."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.cut_after: list[int] = []  # bytes sent before the connection drops, one per request
        self.failures: list[int] = []  # status codes answered first, one per request
        self.ranges: list[str | None] = []  # the Range header of each request
        self.honours_range = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/model.bin"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers["Range"]
        self.server.ranges.append(asked)
        if self.path == "/page":
            return self.answer(200, b"<html>Log in</html>", "text/html; charset=utf-8")
        if self.server.failures:
            return self.answer(self.server.failures.pop(0), b"no")
        if not asked or not self.server.honours_range:
            return self.answer(200, CONTENT)
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        if start >= len(CONTENT):
            return self.answer(416, b"")
        return self.answer(206, CONTENT[start:], start=start)

    def answer(
        self, status: int, body: bytes, kind: str = "application/octet-stream", start: int = 0
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.end_headers()
        sent = self.server.cut_after.pop(0) if self.server.cut_after else len(body)
        self.wfile.write(body[:sent])
        self.close_connection = True

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(autouse=True)
def quiet_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "BACK_OFF", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "model.bin"


def part_of(target: Path) -> Path:
    return target.with_name("model.bin.part")


def test_a_plain_download(server: Server, target: Path) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert download(server.url, target, sha256=digest) == target
    assert target.read_bytes() == CONTENT
    assert not part_of(target).exists()


def test_the_first_digits_of_a_checksum_will_do(server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match="checksum"):
        download(server.url, target, sha256="0123")
    download(server.url, target, sha256=hashlib.sha256(CONTENT).hexdigest()[:8])
    assert target.read_bytes() == CONTENT


def test_what_is_there_is_not_fetched_again(server: Server, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"mine")
    download(server.url, target)
    assert target.read_bytes() == b"mine"
    assert server.ranges == []


def test_a_cut_connection_is_resumed(server: Server, target: Path) -> None:
    server.cut_after = [1000, 500]
    download(server.url, target)
    assert target.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=1000-", "bytes=1500-"]


def test_a_later_call_goes_on_where_an_earlier_one_gave_up(server: Server, target: Path) -> None:
    server.cut_after = [100] * fetch.ATTEMPTS
    with pytest.raises(FetchError, match="gave up after 5 attempts"):
        download(server.url, target)
    assert not target.exists()
    assert part_of(target).stat().st_size == 100 * fetch.ATTEMPTS
    download(server.url, target)
    assert target.read_bytes() == CONTENT


def test_a_server_without_ranges_starts_again(server: Server, target: Path) -> None:
    server.honours_range, server.cut_after = False, [1000]
    download(server.url, target)
    assert target.read_bytes() == CONTENT


def test_a_part_that_is_too_long_starts_again(server: Server, target: Path) -> None:
    target.parent.mkdir()
    part_of(target).write_bytes(b"x" * (len(CONTENT) + 1))
    download(server.url, target)
    assert target.read_bytes() == CONTENT


def test_a_busy_server_is_asked_again(server: Server, target: Path) -> None:
    server.failures = [503, 429]
    download(server.url, target)
    assert target.read_bytes() == CONTENT


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="gave up"):
        download("http://127.0.0.1:9/model.bin", tmp_path / "model.bin")


def test_a_missing_file_is_not_asked_for_twice(server: Server, target: Path) -> None:
    server.failures = [404]
    with pytest.raises(FetchError, match="answered 404"):
        download(server.url, target)
    assert len(server.ranges) == 1
    assert not target.exists()


def test_a_web_page_is_refused(server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match="web page"):
        download(server.url.replace("model.bin", "page"), target)
    assert not target.exists()


def test_the_wrong_file_is_refused_and_removed(server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match="checksum"):
        download(server.url, target, sha256="0" * 64)
    assert not target.exists()
    assert not part_of(target).exists()


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_offline(server: Server, target: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    if how == "environment":
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(FetchError) as caught:
        download(server.url, target, offline=how == "argument")
    assert server.url in str(caught.value)
    assert str(target) in str(caught.value)
    assert server.ranges == []


def test_a_full_disk(server: Server, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(FetchError, match=r"too full: 0\.3 MB are needed, 0\.0 MB are free"):
        download(server.url, target)


def test_a_folder_that_cannot_be_written(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FetchError, match="cannot write"):
        download(server.url, tmp_path / "file" / "model.bin")


def test_two_at_once_fetch_once(server: Server, target: Path) -> None:
    threads = [threading.Thread(target=download, args=(server.url, target)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert target.read_bytes() == CONTENT
    assert len(server.ranges) == 1


def test_progress_is_shown_on_a_terminal_only(
    server: Server,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    download(server.url, target)
    assert capsys.readouterr().err == ""
    target.unlink()
    monkeypatch.setattr(fetch.sys.stderr, "isatty", lambda: True)
    download(server.url, target)
    assert capsys.readouterr().err == "\rmodel.bin: 0.3 MB of 0.3 MB\n"
