"""Small runs through the front door."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.small import SMALL


@pytest.fixture
def small(bench: Callable[..., int], snli_folder: Path, tmp_path: Path) -> Callable[..., Path]:
    """A run of seconds; returns its folder."""

    def call(*arguments: str, runs: str = "runs") -> Path:
        folder = tmp_path / runs
        before = set(folder.glob("*/*"))
        assert bench(*SMALL, f"data.dir={snli_folder}", f"paths.runs={folder}", *arguments) == 0
        new = set(folder.glob("*/*")) - before
        return new.pop() if new else max(before, key=lambda path: path.stat().st_mtime)

    return call


@pytest.fixture
def result() -> Callable[[Path], dict[str, Any]]:
    return lambda folder: json.loads((folder / "result.json").read_text())
