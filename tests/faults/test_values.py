"""A value that makes no sense is one line that names its key, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import config
from tests.bench.small import SMALL

WRONG = (
    "task.dropout=1.5",
    "task.dropout=-1",
    "task.dropout=nan",
    "task.dropout=abc",
    "task.word_dim=-3",
    "task.word_dim=2.5",
    "task.word_dim=null",
    "task.hidden=0",
    "task.hidden=[]",
    "task.hidden=[8]",
    "task.weight_l2=inf",
    "training.clip_norm=nan",
    "training.clip_norm=-1",
    "training.clip_norm=inf",
    "training.optimizer.lr=inf",
    "training.optimizer.lr=nan",
    "training.optimizer.lr=-1",
    "training.optimizer.lr=1e30",
    "training.optimizer.lr=fast",
    "trainer.limit_batches=0",
    "trainer.limit_batches=-1",
    "trainer.devices=abc",
    "trainer.devices=0",
    "trainer.accelerator=tpu",
    "elmo.l2=inf",
    "word_dropout=1",
    "word_dropout=-0.1",
    "word_dropout=nan",
)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_value_is_named(
    wrong: str,
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def computed(*_: object) -> None:
        raise AssertionError("something was computed")

    monkeypatch.setattr("bench.run.run.encoder_of", computed)
    monkeypatch.setattr("tasks.snli.SNLI.load", computed)
    assert bench(*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path}", wrong) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("error: ")
    assert f"{wrong.partition('=')[0]}=" in said
    assert "must be" in said or "unknown" in said


def test_runs_need_a_folder(bench: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(*SMALL, "paths.runs=") == 2
    assert "paths.runs=: must be a folder, such as runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", ["task.hidden=[]", "task.hidden=[0,1]", "task.hidden=[1]", "task.hidden=7"]
)
def test_a_wrong_list_is_named(
    wrong: str, bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("task=ner", "elmo.placement=none", f"paths.runs={tmp_path}", wrong) == 2
    assert f"{wrong}: must be" in capsys.readouterr().err.replace(", ", ",")


@pytest.mark.parametrize(
    "right",
    [
        "training.clip_norm=null",
        "trainer.devices=-1",
        "trainer.devices=auto",
        "trainer.devices='0,1'",
        "trainer.devices=4",
        "trainer.limit_batches=null",
        "training.optimizer.lr=0",
    ],
)
def test_what_makes_sense_is_taken(right: str, configured: Callable[..., object]) -> None:
    config.check(configured("task=snli", right))  # type: ignore[arg-type]
