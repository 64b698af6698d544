"""Every head on a pretended accelerator: the CPU's numbers, nothing misplaced, few waits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from omegaconf import DictConfig

import tasks
from bench.predict import Predictor
from bench.run.datamodule import BenchData
from elmo_core import Placement
from elmo_core.encoders.random import random_elmo
from elmo_core.products import path
from elmo_core.store.feature_store import FeatureStore
from tests.devices.heads import DIM, EVERYWHERE, LAYERS, Head, heads, moved, step
from tests.devices.pretended import Traffic
from tests.elmo_core.conftest import TINY
from tests.elmo_core.store.conftest import Noting, by_address

Accelerator = tuple[torch.device, Traffic]
names = pytest.mark.parametrize("name", tasks.names())

WAITS = {"coref": 2, "wsd": 6, "neighbours": 9}
"""Of a step: coreference prunes each of two documents' spans on the CPU; the last two have nothing
to learn by gradient, and take one epoch. All others wait for nothing."""

COPIES = {"coref": 16, "squad": 14}
"""To the device, of a step, where it is more than 9: the batch's tensors, and of each recurrent
layer where the sorted sequences stand."""

IN_FLOAT64 = ("coref",)
"""Where float32's rounding may turn a ReLU, so that gradients jump, whoever computes them."""

READING = {"pos": 2, "wsd": 7, "neighbours": 8, "squad": 4, "coref": 6}
"""Waits of a prediction, where they are not 3: what was predicted is looked at and fetched."""


class Wide(Noting):
    layers, dim = LAYERS, DIM


@pytest.fixture(scope="module")
def head(configured: Callable[..., DictConfig]) -> Callable[[str], Head]:
    return heads(configured)


@names
def test_a_step_of_training(
    name: str, head: Callable[[str], Head], accelerator: Accelerator
) -> None:
    """Without dropout, whose masks differ from device to device; with ELMo at both places."""
    device, traffic = accelerator
    it = head(name)
    ours, theirs = (it.module(dropout=False) for _ in range(2))
    batch = it.batch()
    if name in IN_FLOAT64 and batch["layers"] is not None:
        traffic.doubles = True
        ours, theirs, batch["layers"] = ours.double(), theirs.double(), batch["layers"].double()
    ours.to(device)
    traffic.restart()
    torch.manual_seed(1)
    loss = step(ours, moved(batch, ours))
    assert sum(traffic.waits.values()) == WAITS.get(name, 0), traffic.waits
    assert sum(traffic.copies.values()) <= COPIES.get(name, 9), traffic.copies
    torch.manual_seed(1)
    with path.using("torch"):  # as on the accelerator: where rounding turns a ReLU, gradients jump
        expected = step(theirs, batch)
    if loss is None or expected is None:
        for mine, other in zip(ours.model.buffers(), theirs.model.buffers(), strict=True):
            torch.testing.assert_close(mine.cpu(), other)
        return
    torch.testing.assert_close(loss.detach().cpu(), expected.detach())
    for (key, mine), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        if other.requires_grad:
            assert mine.grad is not None, key
            torch.testing.assert_close(mine.grad.cpu(), other.grad, atol=1e-5, rtol=1e-4)


@names
def test_a_step_with_layers_that_are_held_there(
    name: str, head: Callable[[str], Head], accelerator: Accelerator, tmp_path: Path
) -> None:
    """As `features=gpu` does: the store's bits, with no wait and no copy but of where they lie."""
    device, traffic = accelerator
    it, store = head(name), FeatureStore(Wide(), tmp_path)
    data = BenchData(it.task, len(it.examples), it.cfg.seed)
    data.store = store
    store.keep(by_address([tuple(words) for e in it.examples for words in it.task.sentences(e)]))
    expected = data.collate(it.examples)["layers"]
    store.hold(device)
    store._index.clear()  # nothing is left on the host
    module = it.module().to(device)
    traffic.restart()
    batch = data.collate(it.examples)
    assert (traffic.waits, sum(traffic.copies.values())) == ({}, 1)
    step(module, moved(batch, module))
    assert sum(traffic.waits.values()) == WAITS.get(name, 0), traffic.waits
    assert sum(traffic.copies.values()) <= COPIES.get(name, 9), traffic.copies
    layers = batch["layers"]
    assert layers is not None
    assert expected is not None
    assert layers.device == device
    assert torch.equal(layers.cpu(), expected)


@names
def test_dropout_and_no_elmo(
    name: str, head: Callable[[str], Head], accelerator: Accelerator
) -> None:
    device, traffic = accelerator
    it = head(name)
    module = it.module("none").to(device)
    batch = moved(it.batch("none"), module)
    traffic.restart()
    step(module, batch)
    assert sum(traffic.waits.values()) <= WAITS.get(name, 0), traffic.waits


@names
def test_predictions(name: str, head: Callable[[str], Head], accelerator: Accelerator) -> None:
    device, traffic = accelerator
    it = head(name)
    module, batch = it.module().eval(), it.batch()
    with torch.no_grad():
        module.validation_step(batch, 0)
        expected, module.predictions = module.predictions, []
        batch = moved(batch, module.to(device))
        traffic.restart()
        module.validation_step(batch, 0)
    assert [row["prediction"] for row in module.predictions] == [
        row["prediction"] for row in expected
    ]
    assert sum(traffic.waits.values()) <= READING.get(name, 3), traffic.waits


@names
def test_new_text(
    name: str,
    head: Callable[[str], Head],
    accelerator: Accelerator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`bench.predict`, of a run that is made up: it computes on the run's device."""
    device, _ = accelerator
    it = head(name)
    encoder = random_elmo(TINY).to(device)
    model = it.task.model(Placement(EVERYWHERE, encoder.layers, encoder.dim)).eval()
    monkeypatch.setattr("bench.run.trained.configuration", lambda *_: it.cfg)
    monkeypatch.setattr("bench.run.trained.trained", lambda *_: (it.task, model))
    monkeypatch.setattr("bench.run.build.encoder_of", lambda _: encoder)
    monkeypatch.setattr("bench.run.build.device_of", lambda _: str(device))
    (row,) = Predictor(Path("a run"))([(1, json.dumps(dict(it.task.example_input)))])
    assert "prediction" in row
