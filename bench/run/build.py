"""The parts of a run, made from its configuration: task, encoder, placement."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, isclass, signature
from typing import Any

import hydra.utils
import torch
from hydra.errors import InstantiationException
from omegaconf import DictConfig

from bench.errors import ConfigError, explain
from bench.world import local_rank
from elmo_core import Encoder, Placement
from elmo_core.encoders.checked import Checked
from tasks.task import Task


def instantiate(node: Mapping[Any, Any], **arguments: object) -> Any:
    """Call `hydra.utils.instantiate`, and raise what went wrong inside the target as it was.

    Args:
        node: The target, a dotted name under `_target_`, and its arguments.
        arguments: Further arguments of the target.

    Returns:
        What the target returned.

    Raises:
        ConfigError: There is no such target, or it does not take these arguments.
    """
    try:
        return hydra.utils.instantiate(node, **arguments)
    except InstantiationException as error:
        cause = error.__cause__
        if cause is not None and not isinstance(cause, TypeError | ValueError | ImportError):
            raise cause from None
        if cause is not None and explain(cause):
            raise cause from None
        reason = " ".join(str(cause or error).split())
        raise ConfigError(f"{node['_target_']}: {reason}") from error


def task_of(cfg: DictConfig) -> Task:
    """Make the task, given what tasks/task.py promises it.

    Raises:
        ConfigError: There is no such task, or one of its keys is wrong.
    """
    keys = {key: value for key, value in cfg.task.items() if key != "name"}
    promised = {"data": cfg.data.set or cfg.data.name, "folder": cfg.data.dir}
    called = instantiate({"_target_": cfg.task._target_, "_partial_": True}).func
    if asks_for(called, "word_vectors"):
        promised["word_vectors"] = cfg.word_vectors
    task: Task = instantiate(keys, **promised)
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
    """Load the run's encoder onto `device_of(cfg)`; None where no place in the model wants it."""
    if cfg.elmo.placement == "none":
        return None
    encoder: Encoder = Checked(instantiate(cfg.encoder))
    return encoder.to(device_of(cfg))


def device_of(cfg: DictConfig) -> str:
    """Name the device that this process computes on, as Lightning will choose it.

    Returns:
        `cuda:` with the number of the GPU, of several processes each its own; `mps` on a Mac; or
        `cpu`.
    """
    accelerator = cfg.trainer.accelerator
    if accelerator in ("auto", "gpu", "cuda") and torch.cuda.is_available():
        chosen = [int(each) for each in str(cfg.trainer.devices).split(",") if each.strip()]
        number = chosen[local_rank()] if "," in str(cfg.trainer.devices) else local_rank()
        return f"cuda:{number if number < torch.cuda.device_count() else 0}"
    if accelerator in ("auto", "gpu", "mps") and torch.backends.mps.is_available():
        return "mps"
    return "cpu"


def placement_of(cfg: DictConfig, encoder: Encoder | None) -> Placement:
    """Make the mixes for this encoder. Raises ConfigError for a layer that it does not have."""
    if encoder is None:
        return Placement("none", 0, 0)
    elmo, sizes = cfg.elmo, (encoder.layers, encoder.dim)
    mix = {"layer_norm": elmo.layer_norm, "dropout": elmo.dropout, "l2": elmo.l2}
    try:
        return Placement(elmo.placement, *sizes, choice=elmo.layers, **mix)
    except ValueError as error:
        raise ConfigError(f"elmo.layers={elmo.layers}: {error}") from error
