"""From a run's configuration to its parts: task, encoder, placement."""

from __future__ import annotations

import torch
from omegaconf import DictConfig

from bench.config import ConfigError
from bench.errors import build
from elmo_core import Encoder, Placement
from elmo_core.encoders.checked import Checked
from tasks.task import Task


def task_of(cfg: DictConfig) -> Task:
    task: Task = build(
        {key: value for key, value in cfg.task.items() if key != "name"},
        data=cfg.data.set or cfg.data.name,
        folder=cfg.data.dir,
        word_vectors=cfg.word_vectors,
    )
    return task


def encoder_of(cfg: DictConfig) -> Encoder | None:
    """None where no place wants it; on the GPU if there is one and the run may use it."""
    if cfg.elmo.placement == "none":
        return None
    encoder: Encoder = Checked(build(cfg.encoder))
    return encoder.to(device_of(cfg))


def device_of(cfg: DictConfig) -> str:
    """`cuda` if there is a GPU and the run may use it."""
    return "cuda" if torch.cuda.is_available() and cfg.trainer.accelerator != "cpu" else "cpu"


def placement_of(cfg: DictConfig, encoder: Encoder | None) -> Placement:
    """The mixes, for this encoder."""
    if encoder is None:
        return Placement("none", 0, 0)
    elmo, sizes = cfg.elmo, (encoder.layers, encoder.dim)
    mix = {"layer_norm": elmo.layer_norm, "dropout": elmo.dropout, "l2": elmo.l2}
    try:
        return Placement(elmo.placement, *sizes, choice=elmo.layers, **mix)
    except ValueError as error:
        raise ConfigError(f"elmo.layers={elmo.layers}: {error}") from error
