"""A folder of data, and the id of a run on it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import DictConfig

from bench.run.contents import chosen
from tasks.snli.task import SNLI

Configured = Callable[..., DictConfig]


@pytest.fixture
def data(snli_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(snli_folder, tmp_path / "data")


def drop_a_line(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


def change_unseen(path: Path) -> None:
    """Change what a file holds, but neither its size nor its time."""
    facts, old = path.stat(), path.read_bytes()
    path.write_bytes(old.swapcase())
    assert path.read_bytes() != old
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


@pytest.fixture
def give_scores(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[float]], None]:
    """`give_scores([50, 60, 0])`: SNLI's scores from now on, whatever is predicted."""

    def give(scores: list[float]) -> None:
        left = iter(scores)
        monkeypatch.setattr(SNLI, "score", lambda self, _: {self.metric: next(left)})
        monkeypatch.setattr(SNLI, "yardsticks", lambda *_: {})

    return give


@pytest.fixture
def run_id(configured: Configured, tmp_path: Path) -> Callable[..., str]:
    def of(folder: Path, *words: str) -> str:
        runs = f"paths.runs={tmp_path / 'runs'}"
        choice, record = chosen(configured("task=snli", f"data.dir={folder}", runs, *words))
        assert record.folder.name == choice.run_id
        return choice.run_id

    return of
