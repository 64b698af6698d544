"""A launcher for Hydra: the GPUs of one machine, each with one run, or a few, at a time.

Every run is a command of its own, which sees one GPU alone; CUDA counts it as its first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import takewhile

from hydra.core.utils import JobReturn

from bench.errors import ConfigError
from bench.sweep.side_by_side import SideBySide, Slot
from bench.world import world_size
from elmo_core.cores import THREADS, usable_cores

VISIBLE = "CUDA_VISIBLE_DEVICES"
Given = Sequence[int | str] | int | str | None


class Gpus(SideBySide):
    """Gives each run of a sweep the next GPU that is free.

    Args:
        gpus: Numbers of GPUs, or the names that CUDA gives them, also one alone; None takes all.
        per_gpu: How many runs share a GPU.
    """

    def __init__(self, gpus: Given, per_gpu: int) -> None:
        self.gpus, self.per_gpu = gpus, per_gpu

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Do the runs that these words compose, each list one, and return their outcomes in order.

        Raises:
            ConfigError: There is no GPU, a key makes no sense, or the sweeper is not ours.
        """
        if not self.jobs:
            raise ConfigError(
                "hydra/launcher=gpus: needs to know the runs, which only our sweepers name: leave "
                "hydra/sweeper out, or take hydra/launcher=basic"
            )
        if any(world_size(job.cfg.trainer) > 1 for job in self.jobs):
            raise ConfigError(
                "hydra/launcher=gpus: gives each run one GPU: leave trainer=ddp and "
                "trainer.devices out, or take hydra/launcher=basic"
            )
        names = places(self.gpus, self.per_gpu)
        threads = os.environ.get(THREADS, str(max(usable_cores() // len(names), 1)))
        slots = [Slot({THREADS: threads, VISIBLE: name}, f" on GPU {name}") for name in names]
        return self.done(job_overrides, slots)


def places(gpus: Given, per_gpu: int) -> list[str]:
    """Return a GPU for each run that is done at once.

    Raises:
        ConfigError: There is no GPU, or a key makes no sense.
    """
    if not (type(per_gpu) is int and per_gpu > 0):
        raise ConfigError(f"hydra.launcher.per_gpu={per_gpu}: must be a whole number from 1")
    return found(gpus) * per_gpu


def found(gpus: Given) -> list[str]:
    """Return the GPUs that are named, or all that this process may use. Raises ConfigError."""
    visible = os.environ.get(VISIBLE)
    if gpus is not None:
        given = gpus if isinstance(gpus, Sequence) and not isinstance(gpus, str) else [gpus]
        if any(type(gpu) not in (int, str) for gpu in given):
            raise ConfigError(f"hydra.launcher.gpus={gpus}: must be numbers of GPUs, such as [0,1]")
        names = [str(gpu) for gpu in given]
    elif visible is not None:
        words = [word.strip() for word in visible.split(",")]
        names = list(takewhile(re.compile(r"\d|GPU-|MIG-").match, words))  # as CUDA reads it
    else:
        import torch

        names = [str(number) for number in range(torch.cuda.device_count())]
    if not names:
        raise ConfigError(
            "hydra/launcher=gpus: no GPU is found here; hydra.launcher.gpus=[0,1] names some, "
            "hydra/launcher=cores does the runs on a CPU"
        )
    return names
