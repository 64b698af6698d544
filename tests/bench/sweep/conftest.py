"""Small sweeps through the front door, and an experiment file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.small import SMALL

Sweep = Callable[..., int]
Results = Callable[[], dict[str, dict[str, Any]]]


@pytest.fixture
def arguments(snli_folder: Path, tmp_path: Path) -> list[str]:
    runs = f"paths.runs={tmp_path / 'runs'}"
    return [*SMALL, "training.max_epochs=2", f"data.dir={snli_folder}", runs]


@pytest.fixture
def sweep(
    bench: Callable[..., int], arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> Sweep:
    """`sweep("seed=1,2")`: with -m, over runs of a second; returns the exit status."""
    monkeypatch.setenv("COLUMNS", "300")
    return lambda *more: bench("-m", *arguments, *more)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """result.json by run id."""

    def read() -> dict[str, dict[str, Any]]:
        paths = (tmp_path / "runs").glob("snli/*/result.json")
        return {path.parent.name: json.loads(path.read_text()) for path in paths}

    return read


OWN = """
title: Does ELMo help?
source: A paper
columns: {without: {elmo.placement: none}, with: {x: 0.5, elmo.placement: input}}
baseline: without
paper: {snli: {with: 88.8}, srl: {with: 1}}
"""


def own_experiment(folder: Path, text: str) -> str:
    """Write an experiment file of the user's own; return the word that names its folder to us."""
    (folder / "experiment").mkdir()
    (folder / "experiment" / "own.yaml").write_text(text)
    return f"hydra.searchpath=[{folder}]"


@pytest.fixture
def own(tmp_path: Path) -> str:
    return own_experiment(tmp_path, OWN)
