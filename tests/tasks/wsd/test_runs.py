"""Word senses: whole runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from bench.evaluate.__main__ import main as evaluate
from bench.predict import Predictor
from tests.conftest import TINY_ENCODER


@pytest.fixture
def run(bench: Callable[..., int], wsd_folder: Path, tmp_path: Path) -> Callable[..., Path]:
    def call(*arguments: str) -> Path:
        words = (
            "task=wsd",
            f"data.dir={wsd_folder}",
            f"paths.runs={tmp_path / 'runs'}",
            "trainer=cpu",
        )
        assert bench(*words, *TINY_ENCODER, *arguments) == 0
        (made,) = (tmp_path / "runs").glob("wsd/*")
        return made

    return call


def test_trivial_baselines_stand_beside_scores_on_other_data(
    run: Callable[..., Path], wsd_folder: Path
) -> None:
    """The first senses are those that the run has learned."""
    made = run("elmo.placement=none")
    evaluate([str(made), f"data.dir={wsd_folder}", "--split", "test"])
    (found,) = made.parent.glob(f"{made.name}-on-*/result.json")
    known = json.loads((made / "result.json").read_text())["yardsticks"]["test"]
    assert json.loads(found.read_text())["yardsticks"]["test"] == known


def test_a_run_is_one_pass(run: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """However many epochs are allowed, no instance is counted twice; the head answers as the run
    did."""
    made = run("elmo.layers=1", "training.max_epochs=3", "training.batch_size=1", "logger=csv")
    result: dict[str, Any] = json.loads((made / "result.json").read_text())
    assert result["epochs"] == 1
    assert result["counts"]["trainable_parameters"] == 0
    assert not {"train_loss", "lr"} & set(result["history"][0])
    assert {"f1/senseval2", "f1/semeval2015", "precision"} <= set(result["metrics"]["test"])
    assert set(result["yardsticks"]["test"]) == {"first sense", "most frequent sense"}
    assert load_file(made / "head.safetensors")["counts"].sum() == 5
    assert "epoch 1: dev f1" in capsys.readouterr().err
    lines = (made / "predictions.jsonl").read_text().splitlines()
    (dev,) = (row for row in map(json.loads, lines) if row["split"] == "dev")
    given = {"tokens": dev["tokens"], "word": 0, "pos": "NOUN", "lemma": "bank"}
    (row,) = Predictor(made)([(1, json.dumps(given))])
    assert row["prediction"] == dev["prediction"][:1]
    assert row["similarity"] == pytest.approx(dev["similarity"][:1], abs=1e-5)


def test_table5(
    bench: Callable[..., int], wsd_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As its file says: rows can be left out; a column a layer, beside the first sense."""
    rows = ("~experiment.rows.CoVe", "~experiment.rows.random")
    words = (f"data.dir={wsd_folder}", f"paths.runs={tmp_path / 'runs'}", "trainer=cpu")
    assert bench("experiment=table5", *rows, *words) == 0
    made = [json.loads(p.read_text()) for p in (tmp_path / "runs").glob("wsd/*/result.json")]
    found = {r["elmo"].get("layers", "first sense"): r["primary"]["value"] for r in made}
    assert set(found) == {"first sense", "0", "1", "2", "mean"}
    yardsticks = {r["yardsticks"]["test"]["first sense"] for r in made}
    assert yardsticks == {found["first sense"]}
    assert "Which layer knows word senses" in capsys.readouterr().out


def test_several_processes_are_refused(
    bench: Callable[..., int], wsd_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("task=wsd", f"data.dir={wsd_folder}", f"paths.runs={tmp_path / 'runs'}")
    several = ("trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2")
    assert bench(*words, *TINY_ENCODER, *several) == 2
    said = capsys.readouterr().err
    assert "trainer.devices: must be 1" in said
    assert "features of" not in said  # which may take hours
