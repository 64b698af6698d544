"""Download one file: resumed, checked, whole or not there. Standard library only."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from elmo_core.errors import FetchError
from elmo_core.locks import locked
from elmo_core.whole_files import sha256_of

ATTEMPTS = 5
BACK_OFF = 1.0  # seconds before the second attempt, doubled before each further one
SILENCE = 30.0  # seconds without a byte before a connection counts as cut
CHUNK = 1 << 20

_allowed: ContextVar[bool] = ContextVar("downloads are allowed", default=True)


@contextmanager
def downloads_off() -> Iterator[None]:
    """Inside, nothing is fetched: whoever wants a file that is not there gets a FetchError."""
    before = _allowed.set(False)
    try:
        yield
    finally:
        _allowed.reset(before)


def downloads_are_off() -> bool:
    """Return whether this is inside `downloads_off`."""
    return not _allowed.get()


def download(
    url: str,
    destination: str | Path,
    *,
    sha256: str | None = None,
    offline: bool = False,
    progress: bool = True,
) -> Path:
    """Fetch `url` to `destination`, unless it is there already, and return the path.

    The bytes gather in a `.part` file beside it, from which a connection that was cut, now or in an
    earlier call, is resumed. The file gets its name only when its length, as the server announced
    it, and its checksum (`sha256`, or its first digits) are right. A second process that wants the
    same file waits for the first. Nothing is fetched when `offline` is true, inside
    `downloads_off`, or where HF_HUB_OFFLINE is set. Progress is shown on a terminal only.

    Raises FetchError, saying what can be done, for everything that can go wrong.
    """
    destination = Path(destination)
    if destination.is_file():
        return destination
    if not _allowed.get():
        raise FetchError(f"{destination} is not there yet: it would be fetched from {url}")
    if offline or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise FetchError(
            f"{destination} is not there and downloads are switched off: "
            f"fetch {url} elsewhere and put it there"
        )
    part = destination.with_name(f"{destination.name}.part")
    _check_address(url)
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with locked(part.with_suffix(".lock")):
            if not destination.is_file():
                _with_retries(url, part, progress and sys.stderr.isatty())
                _check(url, part, sha256)
                os.replace(part, destination)
    except OSError as error:
        raise FetchError(f"cannot write {part}: {error.strerror or error}") from error
    return destination


def _check_address(url: str) -> None:
    """Let nobody read local files (file:) or speak other protocols (ftp:), by redirects neither."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        url.encode("ascii")
    except ValueError:
        fine = False
    if not fine or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise FetchError(f"{url!r} is no address of a file on the web (http://…, https://…)")


class _Redirects(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        _check_address(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Cut(Exception):
    """The connection failed in a way that another attempt may mend."""


def _with_retries(url: str, part: Path, show: bool) -> None:
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(BACK_OFF * 2 ** (attempt - 1))
        try:
            return _continue(url, part, show)
        except _Cut as cut:
            reason = cut
    raise FetchError(
        f"{url}: gave up after {ATTEMPTS} attempts ({reason}); the next call goes on from what has "
        f"arrived. Without a network, fetch it elsewhere and put it at {part.with_suffix('')}"
    )


def _continue(url: str, part: Path, show: bool) -> None:
    """Make one attempt: ask for what `part` does not hold yet, and append it."""
    have = part.stat().st_size if part.exists() else 0
    with _open(url, part, have) as response:
        if response.headers.get_content_type() == "text/html":
            raise FetchError(f"{url} answered with a web page, not with the file")
        if response.status != HTTPStatus.PARTIAL_CONTENT:
            have = 0  # the server starts from the beginning, and so do we
        elif _start(response) != have:
            part.unlink(missing_ok=True)
            raise _Cut("another part arrived than was asked for")
        left = _length(response)
        total = None if left is None else have + left
        _check_space(part, left or 0)
        with open(part, "ab" if have else "wb") as file:
            while chunk := _read(response):
                file.write(chunk)
                if show:
                    _show(url, file.tell(), total)
    if show:
        print(file=sys.stderr)
    if total is not None and part.stat().st_size < total:
        raise _Cut("the connection was cut")


def _open(url: str, part: Path, have: int) -> HTTPResponse:
    """Return the response, from byte `have` on. Raises _Cut where another attempt may help."""
    headers = {"User-Agent": "elmo-bench"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        request = Request(url, headers=headers)
        return build_opener(_Redirects).open(request, timeout=SILENCE)
    except HTTPError as error:
        answer = f"{error.code} {error.reason}"
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            part.unlink()  # of another file, or complete without our knowing: begin anew
            raise _Cut(answer) from error
        if error.code >= 500 or error.code == HTTPStatus.TOO_MANY_REQUESTS:
            raise _Cut(answer) from error
        raise FetchError(f"{url} answered {answer}") from error
    except ValueError as error:
        raise FetchError(f"{url} leads to what is no address ({error})") from error
    except (URLError, OSError, HTTPException) as error:
        raise _Cut(str(getattr(error, "reason", error)) or type(error).__name__) from error


def _start(response: HTTPResponse) -> int | None:
    """The byte with which a part of a file begins, if the server says so."""
    found = re.match(r"bytes ([0-9]{1,18})-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else None


def _length(response: HTTPResponse) -> int | None:
    """How many bytes the server announces, if it does. Raises _Cut for what is no number."""
    announced = response.headers.get("Content-Length")
    if announced is None:
        return None
    if not re.fullmatch("[0-9]{1,18}", announced):
        raise _Cut(f"the server announced {announced!r} bytes")
    return int(announced)


def _read(response: HTTPResponse) -> bytes:
    """Return the next bytes, none at the end; writing is apart, since only reading is retried."""
    try:
        return response.read(CHUNK)
    except (OSError, HTTPException) as error:
        raise _Cut(str(error) or type(error).__name__) from error


def _check_space(part: Path, needed: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if needed > free:
        raise FetchError(
            f"the disk of {part.parent} is too full: {_megabytes(needed)} are needed, "
            f"{_megabytes(free)} are free"
        )


def _check(url: str, part: Path, sha256: str | None) -> None:
    """Refuse, and remove, what is not the file that was asked for."""
    if sha256 is not None and not (digest := sha256_of(part)).startswith(sha256.lower()):
        part.unlink()
        raise FetchError(f"{url}: the checksum is {digest}, expected {sha256}")


def _show(url: str, done: int, total: int | None) -> None:
    of = f" of {_megabytes(total)}" if total else ""
    name = url.rsplit("/", 1)[-1]
    print(f"\r{name}: {_megabytes(done)}{of}", end="", file=sys.stderr, flush=True)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
