"""A launcher for Hydra: the GPUs of one machine, each with one run, or a few, at a time.

Every run is a command of its own, which sees one GPU alone; CUDA counts it as its first.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

from bench.console import say
from bench.errors import ConfigError
from bench.run.contents import chosen
from bench.sweep.apart import Command
from bench.sweep.attempt import outcome
from bench.sweep.job import Cell, Outcome

VISIBLE = "CUDA_VISIBLE_DEVICES"
PAUSE = 0.2  # seconds between two looks at what is running


class Gpus(Launcher):
    """Gives each run of a sweep the next GPU that is free, and says in a line what came of it.

    Args:
        gpus: Numbers of GPUs, or the names that CUDA gives them; None takes all.
        per_gpu: How many runs share a GPU.
    """

    def __init__(self, gpus: Sequence[int | str] | None = None, per_gpu: int = 1) -> None:
        self.gpus, self.per_gpu = gpus, per_gpu

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        """Take in the sweep's configuration, and its cells from `attempt`, bound to them."""
        assert isinstance(task_function, partial)
        self.cells: Sequence[Cell] = task_function.keywords["cells"]
        self.loader, self.config = hydra_context.config_loader, config

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Do the runs that these words compose, each list one, and return their outcomes in order.

        Raises:
            ConfigError: There is no GPU, or `per_gpu` is below 1.
        """
        free = deque(gpu for _ in range(self._per_gpu()) for gpu in found(self.gpus))
        threads = max((os.cpu_count() or 1) // len(free), 1)
        waiting = deque(enumerate(job_overrides))
        running: list[_Run] = []
        outcomes: dict[int, Outcome] = {}
        try:
            while waiting or running:
                while waiting and free:
                    number, words = waiting.popleft()
                    running.append(self._started(number, words, free.popleft(), threads))
                for run in [run for run in running if run.command.ended()]:
                    running.remove(run)
                    free.append(run.gpu)
                    outcomes[run.number] = run.outcome(f"{len(outcomes) + 1}/{len(job_overrides)}")
                time.sleep(PAUSE if running else 0)
        finally:
            for run in running:
                run.command.stop()
        return [returned(outcomes[number]) for number in range(len(job_overrides))]

    def _per_gpu(self) -> int:
        if self.per_gpu < 1:
            raise ConfigError(f"hydra.launcher.per_gpu={self.per_gpu}: must be 1 or more")
        return self.per_gpu

    def _started(self, number: int, words: Sequence[str], gpu: str, threads: int) -> _Run:
        cfg = self.loader.load_sweep_config(self.config, list(words))
        HydraConfig.instance().set_config(cfg)  # from which the command takes its folders
        OmegaConf.set_struct(cfg, False)
        del cfg["hydra"]
        variables = {"OMP_NUM_THREADS": str(threads), **os.environ, VISIBLE: gpu}
        _, record = chosen(cfg)
        return _Run(number, self.cells[number], gpu, Command(words, record, variables), cfg.debug)


class _Run:
    """A run that is under way on a GPU."""

    def __init__(self, number: int, cell: Cell, gpu: str, command: Command, debug: bool) -> None:
        self.number, self.cell, self.gpu, self.command = number, cell, gpu, command
        self.debug, self.began = debug, time.perf_counter()

    def outcome(self, done: str) -> Outcome:
        """Say in a line what came of the run, which has ended; `done` is how many have."""
        came = outcome(self.command.result, self.command.record, self.debug)
        seconds = time.perf_counter() - self.began
        say(f"[{done}] {self.cell}: {came.what}, {seconds:.0f} s on GPU {self.gpu}")
        return replace(came, seconds=seconds)


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
            "hydra/launcher=joblib does several runs on a CPU"
        )
    return names


def returned(came: Outcome) -> JobReturn:
    """Return what came of a run as Hydra wants it from a launcher."""
    returned = JobReturn(status=JobStatus.COMPLETED)
    returned.return_value = came
    return returned
