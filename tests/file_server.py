"""A server of files on this machine, which can be told to misbehave."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WNUT17_FILES = {
    "wnut17train.conll": b"Rolf\tB-person\nsings\tO\n\nOslo\tB-location\n",
    "emerging.dev.conll": b"Oslo\tB-location\n",
    "emerging.test.annotated": b"Rolf\tB-person\n",
}
"""A small set under its official names."""


class FileServer(ThreadingHTTPServer):
    """`files` by path; what it does wrong is in the attributes; `asked` tells what it did."""

    daemon_threads = True

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = dict(files)
        self.cuts: list[int] = []  # bytes sent before the connection drops, one a request
        self.failures: list[int] = []  # status codes answered first, one a request
        self.honours_range = True
        self.pages: set[str] = set()  # answered with a web page
        self.redirects: dict[str, str] = {}  # path → address
        self.headers: dict[str, str] = {}  # sent instead of the right ones
        self.asked: list[tuple[str, str | None]] = []  # path and Range of each request

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        path, part = self.path.lstrip("/"), self.headers["Range"]
        self.server.asked.append((path, part))
        if self.server.failures:
            return self.answer(self.server.failures.pop(0), b"no")
        if path in self.server.redirects:
            return self.answer(302, b"", Location=self.server.redirects[path])
        if path in self.server.pages:
            return self.answer(200, b"<html>Please log in</html>", "text/html; charset=utf-8")
        if path not in self.server.files:
            return self.answer(404, b"")
        whole = self.server.files[path]
        if not part or not self.server.honours_range:
            return self.answer(200, whole)
        start = int(part.removeprefix("bytes=").removesuffix("-"))
        if start >= len(whole):
            return self.answer(416, b"")
        span = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
        self.answer(206, whole[start:], **{"Content-Range": span})

    def answer(
        self, status: int, body: bytes, kind: str = "application/octet-stream", **headers: str
    ) -> None:
        usual = {"Content-Type": kind, "Content-Length": str(len(body))}
        self.send_response(status)
        for name, value in {**usual, **headers, **self.server.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: self.server.cuts.pop(0)] if self.server.cuts else body)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(files: Mapping[str, bytes]) -> Iterator[FileServer]:
    with FileServer(files) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
