"""The parts of a run, made from its configuration: task, encoder, placement."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from inspect import Parameter, isclass, signature
from typing import Any

import hydra.utils
import torch
from hydra.errors import InstantiationException
from omegaconf import DictConfig, OmegaConf

from bench.choice import leaves
from bench.errors import ConfigError, explain
from bench.verbatim import literal
from bench.world import local_rank
from elmo_core import Encoder, Placement
from elmo_core.encoders.checked import Checked
from elmo_core.errors import did_you_mean
from tasks.base.published import choose, published
from tasks.task import Task

log = logging.getLogger(__name__)


def instantiate(node: Mapping[Any, Any], **arguments: object) -> Any:
    """Call the target of `node`, and raise what went wrong inside it as it was.

    Args:
        node: The target, a dotted name under `_target_`, and its arguments.
        arguments: Further arguments of the target.

    Returns:
        What the target returned.

    Raises:
        ConfigError: There is no such target, or it does not take these arguments.
    """
    with _config_errors(node):
        return _maker(node)(**arguments)


def _maker(node: Mapping[Any, Any]) -> partial[Any]:
    """Return the target with the arguments that `node` has, not called yet.

    Hydra reads what it is given for references once more, and then a second time.
    """
    values = OmegaConf.to_container(node, resolve=True) if isinstance(node, DictConfig) else node
    made: partial[Any] = hydra.utils.instantiate(literal(literal(values)), _partial_=True)
    return made


@contextmanager
def _config_errors(node: Mapping[Any, Any]) -> Iterator[None]:
    """Raise ConfigError for arguments that a target does not take; its other errors as they are."""
    try:
        yield
    except Exception as error:
        cause = error
        if isinstance(error, InstantiationException) and isinstance(error.__cause__, Exception):
            cause = error.__cause__
        wrong = isinstance(cause, InstantiationException | TypeError | ValueError | ImportError)
        if not wrong or explain(cause):
            raise cause from None
        target = str(node["_target_"])
        said = _without(target) or " ".join(str(cause).split())
        raise ConfigError(f"{target}: {said}") from error


def _without(target: str) -> str:
    """Say that a target's module is there and does not have it; nothing where this is not so."""
    name, _, last = target.rpartition(".")
    module = sys.modules.get(name)
    if module is None or hasattr(module, last):
        return ""
    known = [*vars(module), *getattr(module, "__all__", ())]
    return f"{name} has no {last}{did_you_mean(last, known)}"


def task_of(cfg: DictConfig) -> Task:
    """Make the task, given what tasks/task.py promises it.

    Raises:
        ConfigError: There is no such task, or one of its keys is wrong.
        DataError: `data.set` is none of the sets that are published for it.
    """
    if cfg.data.set is not None and (sources := published(cfg.task.name)):
        choose(sources, cfg.data.set)
    chosen: Any = OmegaConf.to_container(cfg.task, resolve=True)
    keys = {key: value for key, value in chosen.items() if key != "name"}
    promised = {"data": cfg.data.set or cfg.data.name, "folder": cfg.data.dir}
    with _config_errors(keys):
        make = _maker(keys)
        for key in ("word_vectors", "word_dropout"):
            if asks_for(make.func, key):
                promised[key] = cfg[key]
        task: Task = make(**promised)
    for key in ("word_vectors", "word_dropout"):
        read = key in promised or (key == "word_vectors" and _encoder_reads_them(cfg))
        if cfg[key] and not read:
            what = (key, cfg[key], cfg.task.name)
            log.warning("%s=%s changes nothing: %s has no words of its own", *what)
    return task


def _encoder_reads_them(cfg: DictConfig) -> bool:
    """Return whether an encoder is used that is given the word vectors."""
    if cfg.elmo.placement == "none":
        return False
    given = OmegaConf.to_container(cfg.encoder, resolve=True)
    return cfg.word_vectors in dict(leaves(given)).values()


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
        numbers = str(cfg.trainer.devices).split(",")
        number = int(numbers[local_rank()]) if len(numbers) > 1 else local_rank()
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
