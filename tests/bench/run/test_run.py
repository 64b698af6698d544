"""Whole runs: what they leave behind, that they repeat themselves, and that nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pytorch_lightning.utilities import rank_zero_only
from safetensors.torch import load_file

from bench.run.module import BenchModule
from bench.run.record import Record
from elmo_core.lightning import read_checkpoint
from tasks.snli.task import SNLI
from tests.bench.small import SMALL
from tests.processes import wait_for

Small = Callable[..., Path]
Result = Callable[[Path], dict[str, Any]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_builtin_data_end_to_end(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], result: Result
) -> None:
    arguments = ("elmo.placement=input+output", "training.max_epochs=2", f"paths.runs={tmp_path}")
    sizes = ("task.hidden=32", "task.word_dim=32", "data.train_share=0.05")
    assert bench(*SMALL, *sizes, *arguments) == 0
    (folder,) = tmp_path.glob("snli/*")
    shown = capsys.readouterr().out
    for expected in ("dev accuracy", "test accuracy", "majority class", "γ =", "mix, output"):
        assert expected in shown
    made = result(folder)
    assert made["schema"] == 2
    assert made["status"] == "finished"
    assert made["run_id"] == folder.name
    assert set(made["metrics"]) == {"dev", "test"}
    assert made["primary"]["value"] == made["metrics"]["test"]["accuracy"]
    assert set(made["mix"]) == {"input", "output"}
    assert sum(made["mix"]["input"]["weights"]) == pytest.approx(1)
    assert made["encoder"]["fingerprint"]
    assert made["epochs"] == len(made["history"]) == 2
    rows = lines(folder / "predictions.jsonl")
    assert len(rows) == made["counts"]["dev"] + made["counts"]["test"]
    right = [row["gold"] == row["prediction"] for row in rows if row["split"] == "test"]
    assert 100 * sum(right) / len(right) == pytest.approx(made["primary"]["value"])


def test_two_runs_are_equal_bit_for_bit_and_those_of_two_seeds_are_not(
    small: Small, finished: Path
) -> None:
    again, other = small(runs="again"), small("seed=2")
    assert finished.name == again.name != other.name
    for name in ("predictions.jsonl", "head.safetensors", "vocabulary.json"):
        assert (finished / name).read_bytes() == (again / name).read_bytes()
    heads = [(run / "head.safetensors").read_bytes() for run in (finished, other)]
    assert heads[0] != heads[1]


def test_finished_run_is_shown_not_repeated(
    small: Small,
    finished: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = (finished / "result.json").stat().st_mtime_ns
    capsys.readouterr()
    small()
    assert "force=true" in capsys.readouterr().out
    with monkeypatch.context() as patch:  # nor by the other processes that Slurm starts
        patch.setenv("SLURM_NTASKS", "2")
        patch.setattr(rank_zero_only, "rank", 1)
        small()
    assert not capsys.readouterr().out
    assert (finished / "result.json").stat().st_mtime_ns == before
    small("force=true")
    assert (finished / "result.json").stat().st_mtime_ns != before


def test_the_best_checkpoint_of_another_process_is_not_taken(
    bench: Callable[..., int],
    small: Small,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that lost the run while it stood still writes on for a while."""

    def read_of_another(path: Path) -> dict[str, Any]:
        found = read_checkpoint(path)
        return {**found, "history": [*found["history"], {}]}

    monkeypatch.setattr("bench.run.run.read_checkpoint", read_of_another)
    with pytest.raises(AssertionError):
        small()
    assert "another process wrote it; force=true trains anew" in capsys.readouterr().err


def test_checkpoints_hold_what_is_trained_and_nothing_else(small: Small, tmp_path: Path) -> None:
    vectors = tmp_path / "glove.txt"
    vectors.write_text("man 0.1 0.2 0.3 0.4\nnobody 0.4 0.3 0.2 0.1\n")
    folder = small(f"word_vectors={vectors}", "elmo.placement=input")
    state = torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True)["state_dict"]
    names = set(state)
    assert "model.placement.mixes.input.w" in names
    assert not [name for name in names if "char_cnn" in name or "words.table" in name]
    head = load_file(folder / "head.safetensors")
    assert head["words.table.weight"].shape == (4, 4)


def test_the_penalty_pulls_the_mix_towards_uniform(small: Small) -> None:
    def spread(folder: Path) -> float:
        state = torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True)["state_dict"]
        weights = state["model.placement.mixes.input.w"].softmax(0)
        return float(weights.max() - weights.min())

    steps = ("training.batch_size=6", "training.max_epochs=4", "training.optimizer.lr=0.02")
    common = ("elmo.placement=input", "elmo.layer_norm=false", *steps)
    free, held = small(*common, "elmo.l2=0"), small(*common, "elmo.l2=1000")
    assert spread(held) < spread(free) / 5


def test_dev_is_scored_once_an_epoch_and_test_in_the_end(
    small: Small, monkeypatch: pytest.MonkeyPatch, result: Result
) -> None:
    passes: list[str] = []
    predicted: list[str] = []
    begin, predict = BenchModule.on_validation_epoch_start, SNLI.predict

    def begun(self: BenchModule) -> None:
        passes.append(str(self.trainer.state.fn))
        begin(self)

    def noted(self: SNLI, output: Any, examples: Any) -> Any:
        predicted.extend(example["id"].rstrip("0123456789") for example in examples)
        return predict(self, output, examples)

    monkeypatch.setattr(BenchModule, "on_validation_epoch_start", begun)
    monkeypatch.setattr(SNLI, "predict", noted)
    folder = small("training.max_epochs=4", "training.optimizer.lr=0.05")
    assert passes == ["TrainerFn.FITTING"] * 4
    assert predicted == 4 * 20 * ["dev"] + 20 * ["test"]  # nothing of test before training is over
    found = result(folder)
    best = max(found["history"], key=lambda epoch: epoch["dev"]["accuracy"])
    assert found["best_epoch"] == best["epoch"]
    assert found["metrics"]["dev"] == best["dev"]
    rows = map(json.loads, (folder / "predictions.jsonl").read_text().splitlines())
    right = [row["gold"] == row["prediction"] for row in rows if row["split"] == "dev"]
    assert 100 * sum(right) / len(right) == pytest.approx(best["dev"]["accuracy"])


def test_the_best_epoch_is_the_checkpoints_where_scores_nearly_tie(
    small: Small, give_scores: Callable[[list[float]], None], result: Result
) -> None:
    """float32, in which Lightning compares, does not tell them apart."""
    give_scores([50, 50 + 1e-6, 50 + 1.5e-6, 0])
    folder = small("elmo.placement=none")
    kept = torch.load(folder / "checkpoints" / "best.ckpt", weights_only=True)
    assert result(folder)["best_epoch"] == len(kept["history"]) == 1
    assert result(folder)["metrics"]["dev"] == {"accuracy": 50}


def test_no_test_file_reports_dev_alone(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    result: Result,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for split in ("train", "dev"):
        name = f"snli_1.0_{split}.jsonl"
        (tmp_path / name).write_bytes((snli_folder / name).read_bytes())
    assert bench(*SMALL, f"data.dir={tmp_path}", f"paths.runs={tmp_path / 'runs'}") == 0
    assert "no test file" in capsys.readouterr().err
    (folder,) = (tmp_path / "runs").glob("snli/*")
    assert result(folder)["primary"]["split"] == "dev"


def test_killed_and_resumed_ends_with_the_same_result(
    small: Small, snli_folder: Path, tmp_path: Path, result: Result
) -> None:
    """SIGKILL as soon as the first checkpoint is there; the same command then goes on."""
    arguments = ["training.max_epochs=12", "training.patience=3", "elmo.placement=input"]
    arguments += ["training.ema=0.9"]
    whole = small(*arguments, runs="whole")
    command = [*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'killed'}", *arguments]
    process = subprocess.Popen(
        [sys.executable, "-m", "bench", *command], stderr=subprocess.DEVNULL, text=True
    )
    last = tmp_path / "killed" / "snli" / whole.name / "checkpoints" / "last.ckpt"
    wait_for(lambda: last.exists() or process.poll() is not None)
    process.kill()
    process.wait()
    assert not (last.parent.parent / "head.safetensors").exists(), "killed too late"
    resumed = small(*arguments, runs="killed")
    assert "going on from" in (resumed / "run.log").read_text()
    assert (resumed / "predictions.jsonl").read_bytes() == (
        whole / "predictions.jsonl"
    ).read_bytes()
    assert result(resumed)["metrics"] == result(whole)["metrics"]
    assert result(resumed)["mix"] == result(whole)["mix"]
    assert result(resumed)["epochs"] == result(whole)["epochs"]
    one, other = (
        torch.load(run / "checkpoints" / "last.ckpt", weights_only=True)["state_dict"]
        for run in (whole, resumed)
    )
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_more_epochs_begin_where_fewer_ended(small: Small, result: Result) -> None:
    arguments = ("elmo.placement=input", "training.patience=20", "training.max_epochs=")
    whole = small(*arguments[:2], arguments[2] + "8", runs="whole")
    for epochs in ("2", "6"):
        shorter = small(*arguments[:2], arguments[2] + epochs, runs="parts")
    before = {path: path.read_bytes() for path in shorter.rglob("*.*")}
    longer = small(*arguments[:2], arguments[2] + "8", runs="parts")
    assert f"begins as {shorter} ended" in (longer / "run.log").read_text()
    assert "epoch 6: " not in (longer / "run.log").read_text()  # from its last one
    for key in ("epochs", "best_epoch", "metrics"):
        assert result(longer)[key] == result(whole)[key]
    assert result(whole)["best_epoch"] < 6  # or forgetting it would not be noticed
    for name in ("predictions.jsonl", "head.safetensors"):
        assert (longer / name).read_bytes() == (whole / name).read_bytes()
    assert before == {path: path.read_bytes() for path in shorter.rglob("*.*")}

    small(*arguments[:2], arguments[2] + "8", "force=true", runs="parts")
    assert (longer / "run.log").read_text().count("begins as") == 1


def test_a_shorter_run_that_is_at_work_again_is_not_begun_with(
    small: Small, result: Result
) -> None:
    """Its two checkpoints might not be of one time."""
    shorter = small("training.max_epochs=2", "training.patience=20", runs="parts")
    with Record(shorter).lock():
        longer = small("training.max_epochs=4", "training.patience=20", runs="parts")
    said = (longer / "run.log").read_text()
    assert f"another process is at work on {shorter}: does not begin with it" in said
    assert result(longer)["epochs"] == 4


def test_scores_may_be_numpy_s(
    small: Small, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SNLI, "score", lambda self, rows: {"accuracy": np.float32(50)})
    found = result(small("elmo.placement=none", "training.max_epochs=2"))
    assert found["metrics"]["dev"] == {"accuracy": 50.0}
    assert found["yardsticks"]["dev"] == {"majority class": 50.0}


def test_stopped_early_and_killed_stays_stopped(small: Small, result: Result) -> None:
    """Killed between the last epoch and the record: no further epoch is trained."""
    arguments = ("training.max_epochs=40", "training.patience=1", "training.optimizer.lr=1e-9")
    folder = small(*arguments)
    before = result(folder)
    (folder / "result.json").unlink()
    small(*arguments)
    after = result(folder)
    assert after["epochs"] == before["epochs"] < 40
    assert after["metrics"] == before["metrics"]


@pytest.mark.slow
def test_two_processes_share_a_run(snli_folder: Path, tmp_path: Path, result: Result) -> None:
    command = [*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path}", "trainer=ddp"]
    command += ["trainer.accelerator=cpu", "trainer.devices=2", "elmo.placement=input"]
    subprocess.run([sys.executable, "-m", "bench", *command], check=True, timeout=300)
    (folder,) = tmp_path.glob("snli/*")
    assert len(lines(folder / "predictions.jsonl")) == 40
    made = result(folder)
    assert made["status"] == "finished"
    assert [each["world_size"] for each in made["provenance"]] == [2]
    alone = [word for word in command if not word.startswith("trainer.devices")]
    subprocess.run([sys.executable, "-m", "bench", *alone], check=True, timeout=300)
    assert len(list(tmp_path.glob("snli/*/result.json"))) == 2  # one process is another run
