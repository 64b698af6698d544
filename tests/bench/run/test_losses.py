"""When a loss that is no number ends a run."""

from __future__ import annotations

import pytest
import torch

from bench.errors import RunError
from bench.run.losses import EVERY, Losses
from tests.devices.pretended import Traffic

NAN = float("nan")


def test_on_a_cpu_at_once() -> None:
    losses = Losses(epoch=3)
    losses.add(torch.tensor(1.0), [{"id": "a"}])
    with pytest.raises(RunError, match=r"^the loss is nan in epoch 3, batch 2 \(examples b, c, …"):
        losses.add(torch.tensor(NAN), [{"id": "b"}, {"id": "c"}])


def test_on_a_gpu_now_and_then(accelerator: tuple[torch.device, Traffic]) -> None:
    device, traffic = accelerator
    losses = Losses()
    values = [torch.tensor(NAN if i == 4 else 1.0).to(device) for i in range(EVERY)]
    traffic.restart()
    for i, value in enumerate(values[:-1]):
        losses.add(value, [{"id": i}])
    assert not traffic.waits
    with pytest.raises(RunError, match=r"batch 5 \(examples 4, …\)"):
        losses.add(values[-1], [{"id": EVERY}])
    assert sum(traffic.waits.values()) == 1


def test_steps_that_a_scaler_skips_are_no_mistake() -> None:
    losses = Losses(scaled=True)
    for i in range(EVERY):
        losses.add(torch.tensor(2.0 if i > 5 else float("inf")), [{"id": i}])
    assert losses.mean() == 2.0
    for i in range(EVERY - 1):
        losses.add(torch.tensor(NAN), [{"id": i}])
    with pytest.raises(RunError, match="the loss is nan"):
        losses.add(torch.tensor(NAN), [{"id": EVERY}])


def test_the_mean_is_that_of_all_batches() -> None:
    losses = Losses()
    for value in (1.0, 2.0, 6.0):
        losses.add(torch.tensor(value), [{"id": "a"}])
    assert losses.mean() == 3
