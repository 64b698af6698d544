"""From a run's configuration to its parts: task, encoder, placement."""

from __future__ import annotations

from inspect import Parameter, isclass, signature
from typing import Any

import torch
from omegaconf import DictConfig

from bench.config import ConfigError
from bench.errors import build
from elmo_core import Encoder, Placement
from elmo_core.encoders.checked import Checked
from tasks.task import Task


def task_of(cfg: DictConfig) -> Task:
    """Make the task, given what tasks/task.py promises it.

    Raises:
        ConfigError: there is no such task, or one of its keys is wrong.
    """
    keys = {key: value for key, value in cfg.task.items() if key != "name"}
    promised = {"data": cfg.data.set or cfg.data.name, "folder": cfg.data.dir}
    called = build({"_target_": cfg.task._target_, "_partial_": True}).func
    if asks_for(called, "word_vectors"):
        promised["word_vectors"] = cfg.word_vectors
    task: Task = build(keys, **promised)
    return task


def asks_for(called: Any, name: str) -> bool:
    """Return whether a class (or function) has a parameter of this name.

    A class has those of its bases, too, as long as it passes on what it does not know (`**others`).
    """
    owners = [each.__init__ for each in called.__mro__ if "__init__" in vars(each)]
    for constructor in owners if isclass(called) else [called]:
        parameters = signature(constructor).parameters
        if name in parameters:
            return True
        if all(each.kind is not Parameter.VAR_KEYWORD for each in parameters.values()):
            return False
    return False


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
