"""A folder of data, and the id of a run on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import DictConfig

from bench.run.contents import chosen

Configured = Callable[..., DictConfig]


@pytest.fixture
def data(snli_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(snli_folder, tmp_path / "data")


def drop_a_line(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


@pytest.fixture
def run_id(configured: Configured, tmp_path: Path) -> Callable[..., str]:
    def of(folder: Path, *words: str) -> str:
        runs = f"paths.runs={tmp_path / 'runs'}"
        choice, record = chosen(configured("task=snli", f"data.dir={folder}", runs, *words))
        assert record.folder.name == choice.run_id
        return choice.run_id

    return of
