"""Made-up runs and the report on them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench import runs as verb
from bench.report.__main__ import main as make_report
from tests.bench.made_up import Maker
from tests.bench.report.every_view import everything

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


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


@pytest.fixture
def browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser ({', '.join(BROWSERS)}) on this machine")
    return found


@pytest.fixture
def made(tmp_path: Path) -> Path:
    Maker(tmp_path / "runs").two_columns(seeds=((1, 2, 3), (1, 2, 3)))
    return tmp_path / "runs"


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    path = tmp_path / "results" / "two.jsonl"
    verb.main(["export", "-o", str(path), "--runs", str(made)])
    return path
