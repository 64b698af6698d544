"""The trained model of a finished run, loaded from its folder."""

from __future__ import annotations

import json
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from safetensors.torch import load_file
from torch import nn

from bench.errors import RunError
from bench.run.build import placement_of, task_of
from elmo_core import Encoder
from tasks.task import Task

CONFIG, VOCABULARY, HEAD = "config.yaml", "vocabulary.json", "head.safetensors"


def configuration(folder: Path) -> DictConfig:
    """Load the configuration of the run in `folder`. Raises RunError if it is not finished."""
    for name in (CONFIG, VOCABULARY, HEAD):
        if not (folder / name).is_file():
            raise RunError(f"{folder} is no finished run: it has no {name}")
    cfg = OmegaConf.load(folder / CONFIG)
    assert isinstance(cfg, DictConfig)
    return cfg


def trained(folder: Path, cfg: DictConfig, encoder: Encoder | None) -> tuple[Task, nn.Module]:
    """Load the task, with the run's vocabulary, and the trained model.

    Args:
        folder: The run's.
        cfg: The run's `configuration`.
        encoder: The encoder that `cfg` asks for; None without ELMo.

    Returns:
        The task and the model, in evaluation mode, on the CPU.
    """
    task = task_of(cfg)
    task.restore(json.loads((folder / VOCABULARY).read_text(encoding="utf-8")))
    model = task.model(placement_of(cfg, encoder)).eval()
    model.load_state_dict(load_file(folder / HEAD))
    return task, model
