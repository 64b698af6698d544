"""Every task's head on its own data, with layers that are drawn: a batch, and steps with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch
from omegaconf import DictConfig
from torch import Tensor

from bench.run.build import task_of
from bench.run.datamodule import BenchBatch, BenchData
from bench.run.module import BenchModule
from elmo_core import Placement
from tasks.task import DataError, Task

LAYERS, DIM = 3, 6
EXAMPLES = {"coref": 2}  # of a batch, where there are not eight
EVERYWHERE = "input+output"


class Head:
    """A task with its training data, and a batch of it.

    Args:
        cfg: The configuration of a run of the task.
    """

    def __init__(self, cfg: Any) -> None:
        self.cfg = cfg
        self.task: Task = task_of(cfg)
        train: Any = self.task.load("train")
        self.task.prepare(train)
        self.examples = [train[i] for i in range(EXAMPLES.get(cfg.task.name, 8))]
        self.data = BenchData(self.task, len(self.examples), cfg.seed)

    def module(self, where: str = EVERYWHERE, dropout: bool = True) -> BenchModule:
        """Make the module that trains the head; the same weights each time."""
        torch.manual_seed(0)
        placement = Placement(where, LAYERS, DIM) if where != "none" else Placement(where, 0, 0)
        module = BenchModule(self.task, placement, self.cfg.training, self.cfg.seed)
        parts: list[Any] = list(module.modules())
        for part in parts:
            if not dropout and hasattr(part, "p"):
                part.p = 0.0
        return module

    def batch(self, where: str = EVERYWHERE) -> BenchBatch:
        """Collate the examples, on the CPU."""
        batch = self.data.collate(self.examples)
        if where != "none":
            sentences = [words for e in self.examples for words in self.task.sentences(e)]
            shape = len(sentences), LAYERS, max(map(len, sentences)), DIM
            batch["layers"] = torch.randn(shape, generator=torch.Generator().manual_seed(0))
        return batch


def heads(configured: Callable[..., DictConfig]) -> Callable[[str], Head]:
    """Make the heads of built-in data, each once, by the task's name; a task without is skipped."""

    @cache
    def head(name: str) -> Head:
        try:
            return Head(configured(f"task={name}", "data=mini"))
        except DataError as error:
            pytest.skip(str(error))

    return head


def moved(batch: BenchBatch, module: BenchModule) -> BenchBatch:
    """Move a batch to where a module is, as a run does."""
    return module.transfer_batch_to_device(batch, module.device, 0)


def step(module: BenchModule, batch: BenchBatch) -> Tensor | None:
    """Take the loss and its gradients, as Lightning would; not the first batch of an epoch."""
    loss = module.training_step(batch, 1)
    if loss is not None:
        loss.backward()
    return loss
