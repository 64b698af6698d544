"""How an optimizer takes its steps."""

from __future__ import annotations

from torch.optim import Optimizer


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
