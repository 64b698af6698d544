"""Servers that lie, and addresses that lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from elmo_core.downloads.fetch import download
from elmo_core.errors import FetchError
from tests.file_server import FileServer, serving

pytestmark = pytest.mark.usefixtures("local_downloads")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving({"file": b"0123456789"}) as running:
        yield running


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "data:text/plain,hello", "ftp://localhost/file", "/etc/passwd"),
        *("not a URL", "", "http://", "http://[::1", "http://localhost:port/x", "http://a b/x"),
        *("http://localhost/x\r\nHost: y", "http://localhost/ä"),
    ],
)
def test_only_the_web_is_read(url: str, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="is no address of a file on the web"):
        download(url, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "to", ["file:///etc/passwd", "ftp://127.0.0.1:9/file", "data:,x", "http://["]
)
def test_a_redirect_leads_to_the_web(to: str, server: FileServer, tmp_path: Path) -> None:
    server.redirects["away"] = to
    with pytest.raises(FetchError) as caught:
        download(f"{server.url}/away", tmp_path / "file")
    assert len(str(caught.value).splitlines()) == 1
    assert [path for path, _ in server.asked] == ["away"]
    assert not (tmp_path / "file").exists()


def test_a_redirect_within_the_web_is_followed(server: FileServer, tmp_path: Path) -> None:
    server.redirects["away"] = f"{server.url}/file"
    assert download(f"{server.url}/away", tmp_path / "file").read_bytes() == b"0123456789"


def test_a_circle_of_redirects_is_said_in_one_line(server: FileServer, tmp_path: Path) -> None:
    server.redirects["away"] = f"{server.url}/away"
    with pytest.raises(FetchError, match="answered 302") as caught:
        download(f"{server.url}/away", tmp_path / "file")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("length", ["abc", "-1", "1e3", "9" * 5000])
def test_a_length_that_is_none(length: str, server: FileServer, tmp_path: Path) -> None:
    server.headers["Content-Length"] = length
    with pytest.raises(FetchError, match="the server announced") as caught:
        download(f"{server.url}/file", tmp_path / "file")
    assert len(str(caught.value)) <= 1000
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("span", ["bytes 0-9/10", "bytes 5-9/10", "bytes x-9/10", ""])
def test_another_part_than_was_asked_for_is_not_glued_on(
    span: str, server: FileServer, tmp_path: Path
) -> None:
    (tmp_path / "file.part").write_bytes(b"012")
    server.headers["Content-Range"] = span
    assert download(f"{server.url}/file", tmp_path / "file").read_bytes() == b"0123456789"
    assert [part for _, part in server.asked] == ["bytes=3-", None]
