"""The Lightning Trainer that takes a task's training steps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytorch_lightning as pl
import torch
from omegaconf import DictConfig
from pytorch_lightning.strategies import DDPStrategy, StrategyRegistry
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from bench.console import counted
from bench.errors import ConfigError
from bench.run.build import device_of
from bench.run.callbacks.signals import LostSignals
from bench.run.callbacks.weight_average import WeightAverage
from bench.world import world_size
from elmo_core.devices import checked
from elmo_core.errors import OptionsError
from elmo_core.lightning import OwnSignals, training_precision


class InPlaceDDP(DDPStrategy):
    """DDP that takes a batch where it is.

    Told the number of its device, PyTorch would send all of the batch there, also the lengths,
    which belong on the CPU.
    """

    def determine_ddp_device_ids(self) -> None:
        """Name no device: the model is on its own already, and so is the batch."""

    def barrier(self, *args: Any, **kwargs: Any) -> None:
        """Wait for the others, on this process's own GPU, which NCCL would have to guess."""
        there = torch.distributed.is_available() and torch.distributed.is_initialized()
        if there and torch.distributed.get_backend() == "nccl":
            torch.distributed.barrier(device_ids=[self.root_device.index])
        else:
            super().barrier(*args, **kwargs)


_DDP: dict[str, dict[str, Any]] = {
    "ddp": {},
    "ddp_find_unused_parameters_false": {"find_unused_parameters": False},
    "ddp_find_unused_parameters_true": {"find_unused_parameters": True},
}
for _name, _options in _DDP.items():
    StrategyRegistry.register(_name, InPlaceDDP, override=True, start_method="popen", **_options)


def check_device(cfg: DictConfig) -> None:
    """Raise ConfigError where a run asks for what this machine does not have.

    That is a GPU, for the trainer or for features, or a core for each of many processes.
    """
    wanted = cfg.trainer.accelerator
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if not {"gpu": cuda or mps, "cuda": cuda, "mps": mps}.get(wanted, True):
        raise ConfigError(f"trainer.accelerator={wanted}: no GPU is found here: trainer=cpu")
    if wanted != "cpu" and cuda and world_size(cfg.trainer) > torch.cuda.device_count():
        raise ConfigError(
            f"trainer.devices={cfg.trainer.devices}: this machine has "
            f"{counted(torch.cuda.device_count(), 'GPU')}"
        )
    device, processes, cores = device_of(cfg), world_size(cfg.trainer), os.cpu_count() or 1
    if "," in (devices := str(cfg.trainer.devices)):
        numbers = [int(number) for number in devices.split(",") if number.strip().isdigit()]
        if device == "cpu":
            raise ConfigError(
                f"trainer.devices={devices}: only GPUs have numbers, and the run is on the CPU: "
                f"trainer.devices={processes}"
            )
        if cuda and max(numbers) >= torch.cuda.device_count():
            raise ConfigError(
                f"trainer.devices={devices}: this machine's GPUs have the numbers from 0 to "
                f"{torch.cuda.device_count() - 1}"
            )
    if device == "cpu" and processes > max(cores, 2):
        raise ConfigError(
            f"trainer.devices={cfg.trainer.devices}: on a CPU that is a process each, and this "
            f"machine has {cores} cores"
        )
    if cfg.features.mode == "gpu" and not device.startswith("cuda"):
        raise ConfigError(
            f"features=gpu: needs a CUDA GPU, and the run is on {device}: features=auto"
        )


def check_usable(cfg: DictConfig) -> None:
    """Raise ConfigError where the run's device is there, but cannot be used.

    A GPU's driver may be too old for this PyTorch, or another process has the GPU alone.
    """
    try:
        checked(device_of(cfg))
    except OptionsError as error:
        raise ConfigError(
            f"{error}; another GPU (CUDA_VISIBLE_DEVICES=1), or trainer=cpu"
        ) from None


def alone(cfg: DictConfig) -> str:
    """Return `trainer.devices` of one process on the run's device, of a GPU by its number."""
    kind, _, number = device_of(cfg).partition(":")
    return f"{number}," if kind == "cuda" else "1"


def trainer_of(cfg: DictConfig, callbacks: Sequence[pl.Callback], **options: Any) -> pl.Trainer:
    """Make a Trainer with the device, precision, clipping and moving average of a run.

    Args:
        cfg: The run's configuration.
        callbacks: What else is done beside training, after the moving average.
        options: Further arguments of `pytorch_lightning.Trainer`.

    Returns:
        The Trainer.

    Raises:
        ConfigError: Lightning does not take what the configuration says.
    """
    training, accelerator = cfg.training, cfg.trainer.accelerator
    precision: Any = training_precision(str(cfg.trainer.precision), accelerator)
    average = [] if training.ema is None else [WeightAverage(training.ema)]
    try:
        return pl.Trainer(
            accelerator=accelerator,
            precision=precision,
            deterministic=cfg.trainer.deterministic,
            gradient_clip_val=training.clip_norm or training.clip_value,
            gradient_clip_algorithm="value" if training.clip_value else "norm",
            callbacks=[OwnSignals(), LostSignals(), *average, *callbacks],
            use_distributed_sampler=False,
            num_sanity_val_steps=0,
            enable_progress_bar=False,
            enable_model_summary=False,
            **options,
        )
    except (ValueError, RuntimeError, MisconfigurationException) as error:
        raise ConfigError(f"trainer: {error}") from error
