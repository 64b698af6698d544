"""Small runs through the front door."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.report.__main__ import main as make_report
from tests.bench.made_up import everything
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


@pytest.fixture(scope="session")
def made_up_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that a report has to show, and two files that are damaged."""
    folder = tmp_path_factory.mktemp("made up") / "runs"
    everything(folder)
    broken = folder / "snli" / "none-00000broken"
    broken.mkdir()
    (broken / "result.json").write_text('{"schema": 1, "status": "fin')
    (folder / ".experiments" / "broken-0.json").write_text('{"schema": 99}')
    return folder


@pytest.fixture(scope="session")
def made_up_report(made_up_runs: Path) -> Path:
    make_report([str(made_up_runs)])
    return made_up_runs / "report"
