"""From epoch to epoch: the learning rate, when training stops, what is kept, what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from bench.run.callbacks.weight_average import WeightAverage
from bench.run.datamodule import epoch_seed
from bench.run.module import BenchModule
from bench.run.trainer import trainer_of
from tasks.snli.task import SNLI

Small = Callable[..., Path]
Result = Callable[[Path], dict[str, Any]]
Scores = Callable[[list[float]], None]
STEPS = "{_target_: torch.optim.lr_scheduler.StepLR, gamma: 0.5, step_size: "


def rates(result: dict[str, Any]) -> list[float]:
    """The rate of each epoch, as a share of the first."""
    found = [epoch["lr"] for epoch in result["history"]]
    return [rate / found[0] for rate in found]


@pytest.mark.parametrize("parts", [(6,), (4, 6)])
def test_the_rate_is_halved_whenever_dev_does_not_rise(
    parts: tuple[int, ...], small: Small, result: Result, give_scores: Scores
) -> None:
    """A run that goes on remembers the best score, too."""
    dev = [50.0, 60.0, 55.0, 60.0, 58.0, 61.0]
    words = ("elmo.placement=none", "training.patience=9", "training.scheduler.patience=0")
    for before, epochs in pairwise([0, *parts]):
        scores = [*dev[before:epochs], 0.0]  # the last one is that of test
        give_scores(scores)
        folder = small(*words, f"training.max_epochs={epochs}")
    assert rates(result(folder)) == [1, 1, 1, 1 / 2, 1 / 4, 1 / 8]


@pytest.mark.parametrize("parts", [(3,), (1, 3)])
@pytest.mark.parametrize(("interval", "size"), [("step", 3), ("epoch", 2)])
def test_a_schedule_goes_on_with_each_step_or_each_epoch(
    interval: str,
    size: int,
    parts: tuple[int, ...],
    bench: Callable[..., int],
    tmp_path: Path,
    result: Result,
) -> None:
    """A run that goes on knows how many there were."""
    words = ["task=ner", "task.hidden=[8,8]", "elmo.placement=none", "trainer=cpu"]
    words += ["training.patience=9", "trainer.limit_batches=2", f"paths.runs={tmp_path}"]
    schedule = (f"training.scheduler={STEPS}{size}}}", f"training.scheduler_interval={interval}")
    before: set[Path] = set()
    for epochs in parts:
        assert bench(*words, *schedule, f"training.max_epochs={epochs}") == 0
        (folder,) = set(tmp_path.glob("ner/*")) - before
        before.add(folder)
    history = result(folder)["history"]
    done = [epoch["steps"] - history[0]["steps"] for epoch in history]
    assert done == [0, 2, 4]
    halvings = {"step": [0, 1, 2], "epoch": [0, 0, 1]}[interval]
    assert rates(result(folder)) == pytest.approx([0.5**n for n in halvings])


@pytest.mark.parametrize(
    ("words", "value", "algorithm", "averages"),
    [
        (("task=srl",), 1.0, "norm", 0),
        (("task=srl", "training.clip_norm=null", "training.clip_value=2"), 2.0, "value", 0),
        (("task=squad",), None, "norm", 1),
    ],
)
def test_clipping_and_averaging_are_the_tasks(
    configured: Callable[..., Any],
    words: tuple[str, ...],
    value: float | None,
    algorithm: str,
    averages: int,
) -> None:
    trainer: Any = trainer_of(configured(*words, "data=paper", "trainer=cpu"), [], logger=False)
    assert trainer.gradient_clip_val == value
    assert trainer.gradient_clip_algorithm == algorithm
    found = [each for each in trainer.callbacks if isinstance(each, WeightAverage)]
    assert [each.decay for each in found] == [0.999] * averages


@pytest.mark.parametrize(("patience", "epochs"), [(1, 3), (2, 6)])
def test_the_best_epoch_is_kept_and_patience_is_counted_from_it(
    patience: int, epochs: int, small: Small, result: Result, give_scores: Scores
) -> None:
    scores = [50.0, 60.0, 55.0, 61.0, 54.0, 53.0, 52.0, 51.0]
    give_scores(scores)
    words = ("elmo.placement=none", "training.max_epochs=7", f"training.patience={patience}")
    folder = small(*words)
    assert result(folder)["epochs"] == epochs
    assert result(folder)["best_epoch"] == (best := {1: 2, 2: 4}[patience])
    assert result(folder)["metrics"]["dev"] == {"accuracy": {1: 60.0, 2: 61.0}[patience]}
    checkpoints = (folder / "checkpoints" / f"{name}.ckpt" for name in ("best", "last"))
    kept, last = (torch.load(path, weights_only=True) for path in checkpoints)
    assert (len(kept["history"]), len(last["history"])) == (best, epochs)
    head = load_file(folder / "head.safetensors")
    for name, weight in head.items():
        assert torch.equal(weight, kept["state_dict"][f"model.{name}"])
    assert any(not torch.equal(w, last["state_dict"][f"model.{n}"]) for n, w in head.items())


def test_a_run_that_goes_on_knows_that_its_last_epoch_was_the_best(
    small: Small, give_scores: Scores
) -> None:
    """So that a worse one, though better than those before, does not take its place."""
    words = ("elmo.placement=none", "training.patience=9")
    for epochs, scores in ((2, [50.0, 60.0, 0.0]), (3, [55.0, 60.0, 0.0])):
        give_scores(scores)
        folder = small(*words, f"training.max_epochs={epochs}")
    kept = torch.load(folder / "checkpoints" / "best.ckpt", weights_only=True)
    assert len(kept["history"]) == 2


@pytest.mark.parametrize("seed", [1, 2])
def test_first_weights_are_the_seeds_and_each_epoch_draws_anew(
    seed: int, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    drawn: list[int] = []
    make, step = SNLI.model, BenchModule.training_step

    def model(self: SNLI, *given: Any) -> Any:
        made.append(torch.initial_seed())
        return make(self, *given)

    def noted(self: BenchModule, *given: Any) -> Any:
        loss = step(self, *given)
        drawn.append(torch.initial_seed())
        return loss

    monkeypatch.setattr(SNLI, "model", model)
    monkeypatch.setattr(BenchModule, "training_step", noted)
    small("elmo.placement=none", f"seed={seed}")
    assert made == [seed]
    assert list(dict.fromkeys(drawn)) == [epoch_seed(seed, epoch) for epoch in range(3)]
