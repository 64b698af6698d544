"""How many processes train a run together. No torch here, but where all GPUs are asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from bench.errors import ConfigError

ALL = ("auto", "-1")


def local_rank() -> int:
    """Return the number of this process among those that train a run on this machine, from 0."""
    together = started_together() and os.environ.get("SLURM_LOCALID")
    return int(os.environ.get("LOCAL_RANK") or together or 0)


def started_together() -> bool:
    """Say whether Slurm has started the processes of this run, so that Lightning starts none.

    In an interactive job, which Lightning knows by its name, it has not.
    """
    interactive = os.environ.get("SLURM_JOB_NAME") in ("bash", "interactive")
    return int(os.environ.get("SLURM_NTASKS", "1")) > 1 and not interactive


def check_counted(trainer: Mapping[str, Any]) -> None:
    """Raise ConfigError where a run is to take all GPUs of a machine that is not this one.

    How many there are decides its batches, and so its id, which must be known here.
    """
    if str(trainer.get("devices")) in ALL and trainer.get("accelerator") != "cpu":
        raise ConfigError(
            f"trainer.devices={trainer['devices']}: how many GPUs a node has is not known here, "
            "and is a part of the run: say the number, such as trainer.devices=8"
        )


def world_size(trainer: Mapping[str, Any]) -> int:
    """Return the number of processes that Lightning's Trainer will train with, as it reads these.

    Args:
        trainer: The section `trainer` of a configuration, of which `accelerator` and `devices`
            count: a number, a list of indices as `0,2`, or `auto`.

    Raises:
        ValueError: `devices` is none of these.

    >>> world_size({"accelerator": "cpu", "devices": "2"})
    2
    >>> world_size({"accelerator": "gpu", "devices": "0,2,3"})
    3
    """
    devices = str(trainer.get("devices", "1")).strip()
    if "," in devices:
        return len([each for each in devices.split(",") if each.strip()])
    if devices not in ALL:
        return int(devices)
    if trainer.get("accelerator") == "cpu":
        return 1
    import torch

    return max(torch.cuda.device_count(), 1)
