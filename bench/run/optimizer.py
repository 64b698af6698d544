"""An optimizer, and how it takes its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn
from torch.optim import Optimizer

from bench.run.build import instantiate


def optimizer_of(config: Mapping[str, Any], weights: Sequence[nn.Parameter]) -> Optimizer:
    """Return the optimizer of `weights` that `config`, `training.optimizer`, names, `fuse`d."""
    optimizer: Optimizer = instantiate(without_nulls(config), params=weights)
    fuse(optimizer)
    return optimizer


def without_nulls(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `training.optimizer` says, without the keys that are null.

    So a recipe that names another class takes away what the task's own class is given.
    """
    return {key: value for key, value in config.items() if value is not None}


def fuse(optimizer: Optimizer) -> None:
    """Let `optimizer` take each step in one pass over the weights, where it can do so on a CPU.

    Adam, AdamW, SGD and Adagrad can; their steps are then several times as fast, and the same but
    for float32's rounding. An optimizer that was asked for either way (`fused`, `foreach`) is left
    as it is. Asked for at its making, Lightning would refuse to clip gradients under bf16-mixed,
    for the sake of a scaler that is not there. In a checkpoint the choice is a part of the
    optimizer, so that a run goes on as it began.
    """
    for group in optimizer.param_groups:
        left_open = "fused" in group and group["fused"] is None and group["foreach"] is None
        if left_open and all(weight.device.type == "cpu" for weight in group["params"]):
            group["fused"] = True
