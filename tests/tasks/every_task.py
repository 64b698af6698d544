"""What tests of every task share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from omegaconf import DictConfig

import tasks
from tasks.task import Task

LAYERS, DIM = 3, 6
names = pytest.mark.parametrize("name", tasks.names())
Configured = Callable[..., DictConfig]


def some_layers(task: Task, examples: list[Any], dim: int = DIM) -> torch.Tensor:
    sentences = [s for example in examples for s in task.sentences(example)]
    generator = torch.Generator().manual_seed(0)
    longest = max(map(len, sentences))
    layers = torch.randn(len(sentences), LAYERS, longest, dim, generator=generator)
    for row, sentence in zip(layers, sentences, strict=True):
        row[:, len(sentence) :] = 0
    return layers
