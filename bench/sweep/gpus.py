"""A launcher for Hydra: the GPUs of one machine, each with one run, or a few, at a time.

Every run is a command of its own, which sees one GPU alone; CUDA counts it as its first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from hydra.core.utils import JobReturn

from bench.errors import ConfigError
from bench.sweep.limits import usable_cores
from bench.sweep.side_by_side import SideBySide, Slot

VISIBLE = "CUDA_VISIBLE_DEVICES"


class Gpus(SideBySide):
    """Gives each run of a sweep the next GPU that is free.

    Args:
        gpus: Numbers of GPUs, or the names that CUDA gives them; None takes all.
        per_gpu: How many runs share a GPU.
    """

    def __init__(self, gpus: Sequence[int | str] | None = None, per_gpu: int = 1) -> None:
        self.gpus, self.per_gpu = gpus, per_gpu

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Do the runs that these words compose, each list one, and return their outcomes in order.

        Raises:
            ConfigError: There is no GPU, or `per_gpu` is below 1.
        """
        names = places(self.gpus, self.per_gpu)
        threads = {"OMP_NUM_THREADS": str(max(usable_cores() // len(names), 1)), **os.environ}
        slots = [Slot({**threads, VISIBLE: name}, f" on GPU {name}") for name in names]
        return self.done(job_overrides, slots)


def places(gpus: Sequence[int | str] | None, per_gpu: int) -> list[str]:
    """Return a GPU for each run that is done at once.

    Raises:
        ConfigError: There is no GPU, or `per_gpu` is below 1.
    """
    if per_gpu < 1:
        raise ConfigError(f"hydra.launcher.per_gpu={per_gpu}: must be 1 or more")
    return found(gpus) * per_gpu


def found(gpus: Sequence[int | str] | None) -> list[str]:
    """Return the GPUs that are named, or all that this process may use. Raises ConfigError."""
    visible = os.environ.get(VISIBLE)
    if gpus is not None:
        names = [str(gpu) for gpu in gpus]
    elif visible is not None:
        names = [name.strip() for name in visible.split(",") if name.strip()]
    else:
        import torch

        names = [str(number) for number in range(torch.cuda.device_count())]
    if not names:
        raise ConfigError(
            "hydra/launcher=gpus: no GPU is found here; hydra.launcher.gpus=[0,1] names some, "
            "hydra/launcher=cores does the runs on a CPU"
        )
    return names
