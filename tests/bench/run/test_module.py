"""What a model is told and asked at the ends of an epoch, without a training."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from bench.errors import RunError
from bench.run.datamodule import epoch_seed
from bench.run.losses import Losses
from bench.run.module import BenchModule
from elmo_core import Placement
from tasks.snli import SNLI


@pytest.fixture
def module(configured: Callable[..., Any]) -> Callable[..., BenchModule]:
    """`module("training.patience=1", …)`: of SNLI, without ELMo."""

    def make(*words: str) -> BenchModule:
        task = SNLI()
        task.restore({"words": ["a"], "dim": 2})
        training = configured("task=snli", *words).training
        return BenchModule(task, Placement("none", 0, 0), training, seed=3)

    return make


def test_a_model_that_drops_its_placement_is_named(configured: Callable[..., Any]) -> None:
    class Forgetful(SNLI):
        def model(self, placement: Placement) -> torch.nn.Module:
            return torch.nn.Linear(1, 1)

    with pytest.raises(RunError, match=r"Forgetful: its model must keep .* as `self\.placement`"):
        BenchModule(Forgetful(), Placement("none", 0, 0), configured("task=snli").training, seed=1)


@pytest.mark.parametrize("rank", [0, 1])
def test_each_process_draws_its_own_dropout(
    rank: int, module: Callable[..., BenchModule], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BenchModule, "global_rank", rank)
    monkeypatch.setattr(BenchModule, "current_epoch", 2)
    module()._begin_epoch()
    assert torch.initial_seed() == epoch_seed(3, 2, rank)


@pytest.mark.parametrize(
    ("precision", "scaled"), [("16-mixed", True), ("bf16-mixed", False), ("32-true", False)]
)
def test_losses_are_scaled_in_float16_alone(
    precision: str, scaled: bool, module: Callable[..., BenchModule]
) -> None:
    trained = module()
    trained._trainer = SimpleNamespace(  # type: ignore[assignment]
        precision=precision, current_epoch=4, global_rank=0
    )
    trained._begin_epoch()
    assert (trained._losses.scaled, trained._losses.epoch) == (scaled, 5)


def test_losses_are_looked_at_before_an_epoch_is_scored(module: Callable[..., BenchModule]) -> None:
    """On a GPU the last ones of an epoch were not yet."""
    trained = module()
    trained._losses = Losses(scaled=True)
    trained._losses.add(torch.tensor(float("nan")), [{"id": "a"}])
    with pytest.raises(RunError, match="the loss is nan in epoch 1, batch 1"):
        trained.on_validation_epoch_start()


@pytest.mark.parametrize("step", ["training_step", "validation_step", "test_step"])
def test_the_batch_at_hand_is_known(
    step: str, module: Callable[..., BenchModule], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what is named where the memory is too short for it."""

    def full(*_: Any) -> None:
        raise MemoryError

    trained = module()
    batch: dict[str, Any] = {"examples": [{"id": "a"}], "tensors": {}, "layers": None}
    monkeypatch.setattr(trained.model, "forward", full)
    with pytest.raises(MemoryError):
        getattr(trained, step)(batch, 1)
    assert trained.at_hand == batch["examples"]


def test_no_loss_keeps_its_graph() -> None:
    """An epoch's losses are kept, and all that they came from would be, too."""
    losses = Losses()
    losses.add(torch.tensor(1.0, requires_grad=True) * 2, [{"id": "a"}])
    assert not losses.all[0].requires_grad


class Deaf(torch.nn.Module):
    """A model that takes ELMo at its input alone."""

    def __init__(self, placement: Placement) -> None:
        super().__init__()
        self.placement, self.linear = placement, torch.nn.Linear(1, 1)

    def forward(self, batch: Any, layers: Any) -> dict[str, torch.Tensor]:
        mask = torch.ones(1, 2, dtype=torch.bool)
        x = self.placement.input(torch.ones(1, 2, 0), layers, mask)
        return {"loss": self.linear(torch.ones(1, 1)).sum() + x.sum()}


class HalfDeaf(SNLI):
    def model(self, placement: Placement) -> torch.nn.Module:
        return Deaf(placement)


@pytest.mark.parametrize(("where", "fine"), [("input", True), ("input+output", False)])
def test_a_model_that_does_not_read_elmo_is_named(
    where: str, fine: bool, configured: Callable[..., Any]
) -> None:
    training = configured("task=snli").training
    made = BenchModule(HalfDeaf(), Placement(where, 3, 2), training, seed=1)
    made.model({}, torch.ones(1, 3, 2, 2))["loss"].backward()
    with nullcontext() if fine else pytest.raises(RunError, match=r"must call placement\.output"):
        made.on_after_backward()


def test_a_checkpoint_of_other_code_is_refused(module: Callable[..., BenchModule]) -> None:
    before, now = module(), module()
    kept: dict[str, Any] = {"state_dict": before.state_dict()}
    before.on_save_checkpoint(kept)
    now.on_load_checkpoint(kept)  # of the same: taken
    first = next(name for name, part in now.model.named_children() if list(part.parameters()))
    now.model.add_module("renamed", now.model._modules.pop(first))
    with pytest.raises(RunError, match=r"other weights \(model\.\w+.*SNLI changed\? force=true"):
        now.on_load_checkpoint(kept)


def test_a_checkpoint_of_lazy_layers_is_taken(module: Callable[..., BenchModule]) -> None:
    before, now = module(), module()
    for each in (before, now):
        each.model.add_module("lazy", torch.nn.LazyLinear(3))
    before.model.get_submodule("lazy")(torch.ones(1, 2))
    kept: dict[str, Any] = {"state_dict": before.state_dict()}
    before.on_save_checkpoint(kept)
    now.on_load_checkpoint(kept)


class Stateless(torch.nn.Module):
    def get_extra_state(self) -> None:
        """Nothing, for now."""

    def set_extra_state(self, state: object) -> None:
        assert state is None


def test_a_checkpoint_of_an_empty_extra_state_is_taken(module: Callable[..., BenchModule]) -> None:
    before, now = module(), module()
    for each in (before, now):
        each.model.add_module("stateless", Stateless())
    kept: dict[str, Any] = {"state_dict": before.state_dict()}
    before.on_save_checkpoint(kept)
    now.on_load_checkpoint(kept)
