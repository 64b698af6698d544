"""Whole runs on a GPU: in each precision, resumed, with layers held there, of two processes; and
predictions of one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.bench.small import SMALL

Bench = Callable[..., int]


@pytest.fixture
def run(bench: Bench, snli_folder: Path, tmp_path: Path, on_gpu: list[str]) -> Callable[..., Any]:
    """Do a small run; returns its folder and its result."""

    def call(*words: str, runs: str = "runs") -> tuple[Path, dict[str, Any]]:
        small = [word for word in SMALL if word != "trainer=cpu"]
        given = [*small, *on_gpu, f"data.dir={snli_folder}", f"paths.runs={tmp_path / runs}"]
        assert bench(*given, *words) == 0
        found = list((tmp_path / runs).glob("snli/*/result.json"))
        results = {path.parent: json.loads(path.read_text()) for path in found}
        return max(results.items(), key=lambda item: len(item[1]["history"]))

    return call


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed", "16-mixed"])
def test_a_whole_run(run: Callable[..., Any], precision: str) -> None:
    folder, result = run(f"trainer.precision={precision}")
    assert result["status"] == "finished"
    assert len(result["history"]) == 3
    assert (folder / "head.safetensors").is_file()


def test_predictions(run: Callable[..., Any], gpu: torch.device) -> None:
    folder, _ = run("training.max_epochs=1")
    pair = {"premise": "A man sleeps.", "hypothesis": "Nobody sleeps."}
    done = subprocess.run(
        [sys.executable, "-m", "bench.predict", str(folder)],
        input=json.dumps(pair),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["prediction"]


def test_a_run_goes_on_as_it_would_have(run: Callable[..., Any]) -> None:
    """To the bit, since it is asked for."""
    exact = "trainer.deterministic=true"
    _, whole = run(exact, "training.max_epochs=2", runs="whole")
    run(exact, "training.max_epochs=1", runs="parts")
    _, resumed = run(exact, "training.max_epochs=2", runs="parts")
    losses = [[epoch["train_loss"] for epoch in r["history"]] for r in (whole, resumed)]
    assert losses[0] == losses[1]


def test_layers_held_on_the_gpu_give_the_same_run(
    run: Callable[..., Any], gpu: torch.device
) -> None:
    """To the bit, since it is asked for."""
    if gpu.type != "cuda":
        pytest.skip("no CUDA device")
    _, stored = run("trainer.deterministic=true", "features=store", runs="stored")
    folder, held = run("trainer.deterministic=true", "features=gpu", runs="held")
    assert "held on cuda" in (folder / "run.log").read_text()
    losses = [[epoch["train_loss"] for epoch in r["history"]] for r in (stored, held)]
    assert losses[0] == losses[1]
    assert stored["metrics"] == held["metrics"]


def test_the_strategy_of_several_processes_on_one_device(run: Callable[..., Any]) -> None:
    """It may not send the lengths of a batch there."""
    _, result = run("trainer.strategy=ddp", "training.max_epochs=1")
    assert result["status"] == "finished"


def test_code_lengths_of_layers_held_on_the_gpu(
    bench: Bench, tmp_path: Path, gpu: torch.device, on_gpu: list[str]
) -> None:
    if gpu.type != "cuda":
        pytest.skip("no CUDA device")
    words = ["task=pos", "training.online_code=true", "training.max_epochs=1", *on_gpu]
    lengths = []
    for mode in ("store", "gpu"):
        runs = tmp_path / mode
        given = ("trainer.deterministic=true", f"features={mode}", f"paths.runs={runs}")
        assert bench(*words, *given) == 0
        (path,) = runs.glob("pos/*/result.json")
        lengths.append(json.loads(path.read_text())["online_code"])
    assert lengths[0] == lengths[1]


def test_two_processes_on_one_device(gpu: torch.device) -> None:
    """Over gloo: the gradient of both is the mean of each one's."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.two_processes", gpu.type],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the gradients agree") == 2
