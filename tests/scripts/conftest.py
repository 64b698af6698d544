"""A script, called in this process."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.verbs import said

SCRIPTS = Path(__file__).parents[2] / "scripts"
Script = Callable[..., tuple[int, str, str]]


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Script:
    """`script("unknown_words.py", FOLDER)`: exit status, output, errors."""

    def call(name: str, *arguments: object) -> tuple[int, str, str]:
        path = str(SCRIPTS / name)
        monkeypatch.setattr(sys, "argv", [path, *map(str, arguments)])
        return said(capsys, lambda _: runpy.run_path(path, run_name="__main__"), ())

    return call
