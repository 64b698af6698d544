"""Whatever is given to `python -m bench.predict` ends in predictions or in one line."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import predict
from tests.bench.verbs import said

GOOD = b'{"premise": "A man.", "hypothesis": "He runs."}\n'


@pytest.fixture
def called(
    finished_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The exit status, the output and the errors for this standard input."""

    def call(lines: bytes, *arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
        return said(capsys, predict.main, (finished_run, *arguments))

    return call


BAD = (
    b'{"premise": NaN, "hypothesis": "x"}',
    b'{"premise": "x", "hypothesis": "y", "more": -Infinity}',
    b'{"premise": "\\ud800", "hypothesis": "x"}',
    b'{"premise": ' + b"[" * 100_000,
    b'{"premise": ' + b"9" * 5_000 + b"}",
    b'{"premise": "\xff", "hypothesis": "x"}',
    b'{"premise": 3, "hypothesis": "x"}',
    b'{"premise": null, "hypothesis": []}',
    b'{"premise": "", "hypothesis": ""}',
    b'{"premise": "\x00", "hypothesis": "x"}',
    b"\x00" * 4096,
)


def test_input_that_is_none(called: Callable[..., tuple[int, str, str]]) -> None:
    for line in BAD:
        status, _, told = called(GOOD + line + b"\n")
        assert status == 2, line[:60]
        assert told.startswith("error: line 2"), told[:200]
        assert told.count("\n") == 1, told[:200]
        assert len(told) < 500


def test_a_byte_order_mark_is_no_text(called: Callable[..., tuple[int, str, str]]) -> None:
    plain, marked = called(GOOD), called(b"\xef\xbb\xbf" + GOOD)
    assert plain == marked
    assert "prediction" in json.loads(plain[1])


def test_a_place_that_cannot_be_written_is_one_line(
    called: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    for output in (tmp_path, tmp_path / "none" / "out.jsonl"):
        status, _, told = called(GOOD, "--output", output)
        assert status == 2
        assert told.startswith(f"error: {output}: ")
        assert told.count("\n") == 1
