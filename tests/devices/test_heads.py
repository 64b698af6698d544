"""Every head on a pretended accelerator: nothing on the wrong device, and few waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from omegaconf import DictConfig

import tasks
from tests.devices.heads import EVERYWHERE, Head, step
from tests.devices.pretended import OnDevice, Traffic

Accelerator = tuple[torch.device, Traffic]
names = pytest.mark.parametrize("name", tasks.names())


@pytest.fixture(scope="module")
def head(configured: Callable[..., DictConfig]) -> Callable[[str], Head]:
    made: dict[str, Head] = {}

    def get(name: str) -> Head:
        if name not in made:
            made[name] = Head(configured(f"task={name}", "data=mini"))
        return made[name]

    return get


TRAINING: dict[str, int] = {}
PREDICTING: dict[str, int] = {}


@names
@pytest.mark.parametrize("where", [EVERYWHERE, "none"])
def test_a_step_of_training(
    name: str, where: str, head: Callable[[str], Head], accelerator: Accelerator
) -> None:
    device, traffic = accelerator
    it = head(name)
    module, batch = it.module(where).to(device), it.batch(where)
    traffic.restart()
    step(module, it.on(device, batch))
    print(name, where, sum(traffic.waits.values()), traffic.operators, traffic.waits, sum(traffic.copies.values()))
