"""`python -m bench.data` against a server on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from bench.data.__main__ import main
from tasks.ner.sources import CONLL2003, WIKIGOLD, WNUT17
from tasks.snli.sources import SOURCES as SNLI
from tests.bench.verbs import said
from tests.file_server import WNUT17_FILES as FILES
from tests.file_server import FileServer, serving

Verb = Callable[..., tuple[int, str, str]]

COUNTS = {
    "train": {"sentences": 2, "tokens": 3, "names": 2},
    "dev": {"sentences": 1, "tokens": 1, "names": 1},
    "test": {"sentences": 1},
}


@pytest.fixture(autouse=True)
def _surroundings(local_downloads: None) -> None: ...


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """Small sets: one to fetch, one to be licensed, one that is a single file."""
    with serving(FILES) as server:
        files = tuple(
            replace(
                file,
                url=f"{server.url}/{file.path}",
                sha256=hashlib.sha256(FILES[file.path]).hexdigest(),
            )
            for file in WNUT17.files
        )
        licensed = {split: {"sentences": 50, "tokens": 60, "names": 60} for split in COUNTS}
        small = [
            replace(WNUT17, files=files, counts=COUNTS),
            WIKIGOLD,
            replace(CONLL2003, counts=licensed),
            *SNLI,
        ]
        known = lambda task=None: [s for s in small if task in (None, s.task)]  # noqa: E731
        for name in ("items", "catalogue", "check"):
            monkeypatch.setattr(f"bench.data.{name}.published", known)
        yield server


@pytest.fixture
def data(capsys: pytest.CaptureFixture[str]) -> Verb:
    """`data("get", …)`: exit status, output, error line."""

    return lambda *words: said(capsys, main, words)
