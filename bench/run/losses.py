"""The losses of an epoch: kept where they are, and looked at now and then."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from bench.errors import RunError
from tasks.task import Example

EVERY = 50
"""Steps between two looks at the losses on a GPU, which is waited for at each."""


class Losses:
    """What each batch of an epoch lost.

    On a CPU each loss is looked at before its gradient is taken, on a GPU `EVERY` steps later.

    Args:
        epoch: Its number, from 1, for error messages.
        scaled: Whether the loss is scaled for float16. A step whose gradients overflow is then
            skipped and the scale lowered, so that one loss, or a few, may well be no number.
    """

    def __init__(self, epoch: int = 1, scaled: bool = False) -> None:
        self.epoch, self.scaled = epoch, scaled
        self.all: list[Tensor] = []
        self.pending: list[list[str]] = []  # ids of batches whose loss was not yet looked at

    def add(self, loss: Tensor, examples: Sequence[Example]) -> None:
        """Take in the loss of a batch.

        Raises:
            RunError: It, or one of the last `EVERY`, is no number; with `scaled`, none of these is.
        """
        self.all.append(loss.detach())
        self.pending.append([str(example["id"]) for example in examples[:4]])
        at_once = loss.device.type == "cpu" and not self.scaled
        if at_once or len(self.pending) == EVERY:
            self.look()

    def look(self) -> None:
        """Look at the losses that nobody has looked at. Raises RunError, as `add` does."""
        if not self.pending:
            return
        ids, self.pending = self.pending, []
        recent = torch.stack(self.all[-len(ids) :]).tolist()
        good = [math.isfinite(each) for each in recent]
        if all(good) or (self.scaled and any(good)):
            return
        bad = good.index(False)
        batch = len(self.all) - len(ids) + bad + 1
        raise RunError(
            f"the loss is {recent[bad]} in epoch {self.epoch}, batch {batch} "
            f"(examples {', '.join(ids[bad])}, …): try a lower training.optimizer.lr or "
            "training.clip_norm"
        )

    def mean(self) -> float:
        """Return the mean loss of the epoch, without the steps that the scaler skipped."""
        losses = torch.stack(self.all)
        return (losses[losses.isfinite()] if self.scaled else losses).mean().item()
