"""Training that has left the numbers is stopped, in one line that says where and what helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from bench.errors import RunError

REMEDY = "try a lower training.optimizer.lr or training.clip_norm"


def check_weights(model: nn.Module, epoch: int) -> None:
    """Raise RunError where the updates of an epoch left a weight that is NaN or infinite.

    The last update of an epoch is followed by no loss that would show it.
    """
    for name, weights in model.named_parameters():
        if weights.requires_grad and not torch.isfinite(weights).all():
            raise RunError(f"{name} is not finite after epoch {epoch}: {REMEDY}")


def check_output(output: Mapping[str, Any]) -> None:
    """Raise RunError where a trained model's scores for examples are NaN.

    Infinite ones are masks; a loss may be NaN where no example of the batch has a known label.
    """
    scores = {k: v for k, v in output.items() if k != "loss" and isinstance(v, Tensor)}
    spoiled = [value.isnan().any() for value in scores.values()]
    if spoiled and any(spoiled := torch.stack(spoiled).tolist()):  # on a GPU, each look is a wait
        name = next(name for name, bad in zip(scores, spoiled, strict=True) if bad)
        raise RunError(f"the model's {name} are NaN: {REMEDY}")
