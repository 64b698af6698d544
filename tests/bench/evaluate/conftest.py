"""Two small runs to evaluate, and the verb."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.evaluate.__main__ import main as evaluate
from tests.bench.verbs import said
from tests.conftest import TINY_ENCODER, front_door

Result = Callable[[Path], dict[str, Any]]
Evaluate = Callable[..., tuple[int, str]]

NER = (
    *("task=ner", "task.word_dim=8", "task.hidden=[8,8]", "task.char_dim=4"),
    *("task.char_filters=8", "training.max_epochs=6", "trainer=cpu", *TINY_ENCODER),
    *("training.batch_size=4", "training.optimizer.lr=0.02", "task.dropout=0"),
)
KINDS = ("seed=1 elmo.placement=input", "seed=1 elmo.placement=none")
PLACES, PEOPLE = ("Oslo", "Lima", "Rome"), ("Anna", "Omar", "Wei")


def write_names(folder: Path, person: str, place: str, splits: tuple[str, ...]) -> Path:
    """A learnable toy in CoNLL's format, with these names for its two labels."""
    folder.mkdir(parents=True)
    drawn = random.Random(str(folder.name))
    for split in splits:
        size = 40 if split == "train" else 12
        lines = []
        for _ in range(size):
            who, where = drawn.choice(PEOPLE), drawn.choice(PLACES)
            lines += [f"{who} B-{person}", "went O", "to O", f"{where} B-{place}", ". O", ""]
        (folder / f"{split}.txt").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run with ELMo, and one without."""
    root = tmp_path_factory.mktemp("trained")
    data = write_names(root / "home", "PER", "LOC", ("train", "dev", "test"))
    for kind in KINDS:
        words = [*NER, f"data.dir={data}", f"paths.runs={root / 'runs'}", *kind.split()]
        assert front_door(*words) == 0
    return sorted((root / "runs" / "ner").iterdir())  # input, none


@pytest.fixture
def runs(trained: list[Path], tmp_path: Path) -> list[Path]:
    """Copies of them, so that each test has folders of its own."""
    return [shutil.copytree(run, tmp_path / "runs" / "ner" / run.name) for run in trained]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Evaluate:
    """`python -m bench.evaluate` on these words: its exit status, and all that it says."""

    def on(*words: object) -> tuple[int, str]:
        status, out, err = said(capsys, evaluate, words)
        return status, out + err

    return on


def made(run: Path) -> list[Path]:
    return sorted(run.parent.glob(f"{run.name}-on-*"))


def rows(folder: Path) -> list[dict[str, Any]]:
    with (folder / "predictions.jsonl").open() as lines:
        return sorted(map(json.loads, lines), key=lambda row: (row["split"], row["id"]))


def tokens(found: list[dict[str, Any]]) -> list[str]:
    return [token for row in found for token in row["tokens"]]


def home(run: Path) -> str:
    return str(json.loads((run / "result.json").read_text())["data"]["dir"])
