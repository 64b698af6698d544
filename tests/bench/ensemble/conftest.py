"""Runs to combine, and to be spoiled."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.ensemble.__main__ import main as ensemble
from tests.bench.small import SMALL
from tests.bench.verbs import said
from tests.conftest import front_door

Together = Callable[..., tuple[int, str]]

QUICK = (*SMALL, "training.max_epochs=1")
KINDS = (
    ("seed=1", "elmo.placement=input+output"),
    ("seed=2", "elmo.placement=input+output"),
    ("seed=3", "elmo.placement=none"),
)


@pytest.fixture(scope="module")
def trained(snli_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs that differ in the seed, and one that differs in the placement, too."""
    root = tmp_path_factory.mktemp("trained")
    data = shutil.copytree(snli_folder, root / "data")
    for kind in KINDS:
        words = [*QUICK, f"data.dir={data}", f"paths.runs={root / 'runs'}", *kind]
        assert front_door(*words) == 0
    runs = (root / "runs" / "snli").iterdir()
    return sorted(runs, key=lambda run: json.loads((run / "result.json").read_text())["seed"])


@pytest.fixture
def three(trained: list[Path], tmp_path: Path) -> list[Path]:
    """Copies of them, to be spoiled, of data to be spoiled."""
    root = trained[0].parents[2]
    shutil.copytree(root, tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / "runs" / "snli").glob("*/*"):
        if path.name in ("config.yaml", "result.json"):
            change(path, str(root), str(tmp_path))
    return [tmp_path / "runs" / "snli" / run.name for run in trained]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def elsewhere(path: Path) -> None:
    """Let a record name another folder, and not know what lay there, as those of old."""
    change(path, "/data", "/elsewhere")
    change(path, '"fingerprint"', '"unknown"')


def unvouched(run: Path) -> None:
    """Let result.json vouch for no file, as those of older versions do."""
    result = json.loads((run / "result.json").read_text())
    result.pop("files", None)
    (run / "result.json").write_text(json.dumps(result))


@pytest.fixture
def together(capsys: pytest.CaptureFixture[str]) -> Together:
    """`together(RUN, RUN)`: exit status, and what was said."""

    def call(*arguments: Any) -> tuple[int, str]:
        status, out, err = said(capsys, ensemble, arguments)
        return status, out + err

    return call
