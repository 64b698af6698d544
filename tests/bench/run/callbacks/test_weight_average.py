"""The weights' moving average: its arithmetic, and that what is scored is what is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from bench.choice import Choice
from bench.config import check
from bench.errors import ConfigError
from bench.run.callbacks.weight_average import WeightAverage

Small = Callable[..., Path]
Result = Callable[[Path], dict[str, Any]]


class Fitting:
    """What the callback asks of a trainer."""

    class state:
        fn = "fit"


class Validating:
    """The same outside of training."""

    class state:
        fn = "validate"


def test_the_average_follows_the_weights_slowly() -> None:
    module: Any = nn.Linear(1, 1, bias=False)
    frozen = nn.Parameter(torch.ones(2), requires_grad=False)
    module.register_parameter("frozen", frozen)
    module.weight.data.fill_(4.0)
    average, trainer, expected = WeightAverage(0.5), Fitting(), 4.0
    average.on_train_start(trainer, module)  # type: ignore[arg-type]
    for step in range(1, 20):
        module.weight.data.fill_(float(step))
        average.on_train_batch_end(trainer, module)  # type: ignore[arg-type]
        decay = min(0.5, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * step
    average.on_validation_start(Validating(), module)  # type: ignore[arg-type]
    assert module.weight.item() == 19  # of a finished run, whose weights are what it kept
    average.on_validation_start(trainer, module)  # type: ignore[arg-type]
    assert module.weight.item() == pytest.approx(expected)
    average.on_train_epoch_end(trainer, module)  # type: ignore[arg-type]
    assert module.weight.item() == 19
    assert (frozen == 1).all()


def test_where_nothing_is_learned_by_gradient_nothing_is_averaged(
    bench: Callable[..., int], tmp_path: Path
) -> None:
    words = ("task=wsd", "elmo.placement=none", "trainer=cpu", "training.ema=0.9")
    assert bench(*words, f"paths.runs={tmp_path}") == 0
    (last,) = tmp_path.rglob("last.ckpt")
    state = torch.load(last, weights_only=True)["callbacks"]["WeightAverage"]
    assert state["steps"] > 0
    assert state["aside"] == []


def test_what_was_scored_is_what_is_kept(small: Small, result: Result) -> None:
    folder = small("training.ema=0.9", "elmo.placement=input", "training.optimizer.lr=0.01")
    made = result(folder)
    assert made["metrics"]["dev"] == made["history"][made["best_epoch"] - 1]["dev"]
    saved = torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True)
    (state,) = [s for key, s in saved["callbacks"].items() if "WeightAverage" in key]
    assert state["steps"] == saved["global_step"]
    trained = list(saved["state_dict"].values())
    assert [w.shape for w in state["aside"]] == [w.shape for w in trained]
    assert not all(torch.equal(*pair) for pair in zip(state["aside"], trained, strict=True))


def test_it_is_part_of_the_choice_only_where_there_is_one(configured: Callable[..., Any]) -> None:
    plain, averaged = (configured("task=snli", f"training.ema={x}") for x in ("null", "0.9"))
    assert "ema" not in Choice.of(plain).values["training"]
    assert Choice.of(plain).run_id != Choice.of(averaged).run_id
    with pytest.raises(ConfigError, match=r"training.ema=1.5: must be between 0 and 1"):
        check(configured("task=snli", "training.ema=1.5"))
