from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from bench.errors import ConfigError
from bench.run.optimizer import fuse, optimizer_of

CLASSES = (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad)


def trained(make: Any, fused: bool, **options: Any) -> list[torch.Tensor]:
    torch.manual_seed(0)
    weights = [nn.Parameter(torch.randn(size)) for size in ((30, 20), (7,))]
    optimizer = make(weights, lr=0.1, **options)
    if fused:
        fuse(optimizer)
        assert optimizer.param_groups[0]["fused"]
    for step in range(20):
        for weight in weights:
            weight.grad = torch.randn_like(weight) / (1 + step)
        optimizer.step()
    return [weight.detach() for weight in weights]


@pytest.mark.parametrize("make", CLASSES)
@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.1}])
def test_steps_are_those_of_the_plain_optimizer(make: Any, options: dict[str, Any]) -> None:
    for fused, plain in zip(
        trained(make, True, **options), trained(make, False, **options), strict=True
    ):
        torch.testing.assert_close(fused, plain, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("asked", [{"fused": False}, {"foreach": True}, {"foreach": False}])
def test_what_was_asked_for_is_left(asked: dict[str, Any]) -> None:
    optimizer = torch.optim.Adam([nn.Parameter(torch.ones(2))], **asked)
    before = dict(optimizer.param_groups[0])
    fuse(optimizer)
    assert optimizer.param_groups[0] == before


def test_what_cannot_be_fused_is_left() -> None:
    optimizer = torch.optim.Adadelta([nn.Parameter(torch.ones(2))])
    fuse(optimizer)
    assert "fused" not in optimizer.param_groups[0]


def test_elsewhere_than_on_a_cpu_nothing_changes() -> None:
    optimizer = torch.optim.Adam([nn.Parameter(torch.ones(2, device="meta"))])
    fuse(optimizer)
    assert optimizer.param_groups[0]["fused"] is None


def test_a_run_goes_on_as_it_began() -> None:
    before, after = (torch.optim.Adam([nn.Parameter(torch.ones(2))]) for _ in range(2))
    fuse(after)
    after.load_state_dict(before.state_dict())
    assert after.param_groups[0]["fused"] is None


def test_a_null_is_not_passed_on() -> None:
    config = {"_target_": "torch.optim.Adam", "lr": 0.5, "rho": None}
    weight = nn.Parameter(torch.ones(2))
    optimizer = optimizer_of(config, [weight])
    assert isinstance(optimizer, torch.optim.Adam)
    assert optimizer.param_groups[0]["lr"] == 0.5
    assert optimizer.param_groups[0]["fused"]
    with pytest.raises(ConfigError, match="rho"):
        optimizer_of({**config, "rho": 0.9}, [weight])
