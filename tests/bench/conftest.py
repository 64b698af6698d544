"""Small runs through the front door."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.small import SMALL
from tests.conftest import front_door


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


@pytest.fixture(scope="session")
def finished_run(snli_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `small()` leaves, for those that only read it, or a copy."""
    runs = tmp_path_factory.mktemp("finished") / "runs"
    assert front_door(*SMALL, f"data.dir={snli_folder}", f"paths.runs={runs}") == 0
    return next(runs.glob("*/*"))


@pytest.fixture
def finished(finished_run: Path, tmp_path: Path) -> Path:
    """A copy of it, as if `small()` had been called; to be spoiled."""
    runs = finished_run.parents[1]
    copy = shutil.copytree(finished_run, tmp_path / "runs" / "snli" / finished_run.name)
    for path in (copy / "config.yaml", copy / "result.json"):
        text = path.read_text()
        assert str(runs) in text
        path.write_text(text.replace(str(runs), str(tmp_path / "runs")))
    return copy


@pytest.fixture
def result() -> Callable[[Path], dict[str, Any]]:
    return lambda folder: json.loads((folder / "result.json").read_text())
