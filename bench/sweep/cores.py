"""A launcher for Hydra: the cores of one machine, each with a run of one thread.

Two runs side by side are done sooner than one after another with two threads each, and the last
runs of a queue soonest when they share the cores: no core is idle while another has a whole run to
do. Where there is only one at a time, it is done in this process, as by Hydra's own launcher.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from hydra._internal.core_plugins.basic_launcher import BasicLauncher
from hydra.core.utils import JobReturn
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

from bench.console import counted, say
from bench.errors import ConfigError
from bench.sweep.apart import Forks
from bench.sweep.gpus import places
from bench.sweep.job import Job
from bench.sweep.side_by_side import SideBySide, Slot
from bench.world import world_size
from elmo_core.cores import THREADS, usable_cores
from elmo_core.imports import importing_torch
from elmo_core.memory import free_memory


@dataclass(frozen=True)
class Queue:
    """How many runs are done at once, and with how many threads."""

    at_once: int = 1  # 1: one after another, in this process
    threads: int | None = None  # of each; None: as many as torch takes
    spare: int = 0  # more at once, when these are the last
    because: str = ""  # of memory that is short

    @property
    def variables(self) -> dict[str, str]:
        """What the environment of its commands has besides."""
        return {} if self.threads is None else {THREADS: str(self.threads)}

    def __str__(self) -> str:
        if self.at_once == 1:
            return f"one after another{self.because}"
        threads = {None: "", 1: ", a thread each"}.get(
            self.threads, f", {self.threads} threads each"
        )
        sharing = ", the last ones sharing cores" if self.spare else ""
        return f"{self.at_once} at once{threads}{self.because}{sharing}"


class Cores(SideBySide):
    """Does as many runs at once as there are cores and memory for.

    Args:
        at_once: So many, whatever there is; None for as many as there is room for.
        gb_per_run: Gigabytes of memory that one run may take.
    """

    def __init__(self, at_once: int | None, gb_per_run: float) -> None:
        self.at_once, self.gb_per_run = at_once, gb_per_run
        self.basic = BasicLauncher()

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        """Take in the sweep's configuration, and what Hydra's own launcher needs."""
        super().setup(hydra_context=hydra_context, task_function=task_function, config=config)
        self.basic.setup(hydra_context=hydra_context, task_function=task_function, config=config)

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Do the runs that these words compose, each list one, and return their outcomes in order.

        For a sweeper that does not name its jobs, they are done one after another.

        Raises:
            ConfigError: A key of the launcher makes no sense.
        """
        queue = queue_of(self.jobs, self.at_once, self.gb_per_run)
        number = counted(len(self.jobs), "run")
        if queue.at_once == 1:
            if queue.because:
                say(f"{number}, {queue}")
            return self.basic.launch(job_overrides, initial_job_idx)
        say(f"{number}, {queue}; hydra/launcher=basic does one after another")
        slot = Slot(queue.variables, server=self.forks.server(queue.variables))
        return self.done(job_overrides, [slot] * queue.at_once, [slot] * queue.spare)


def planned(hydra: DictConfig, jobs: Sequence[Job]) -> Queue:
    """Return how these runs would be done.

    Args:
        hydra: Hydra's node of the sweep's configuration.
        jobs: The runs.

    Returns:
        How many at once; one, with other launchers.

    Raises:
        ConfigError: A key of the launcher makes no sense.
    """
    launcher = hydra.runtime.choices["hydra/launcher"]
    if launcher == "gpus":
        return Queue(min(len(places(hydra.launcher.gpus, hydra.launcher.per_gpu)), len(jobs)))
    if launcher != "cores":
        return Queue()
    return queue_of(jobs, hydra.launcher.at_once, hydra.launcher.gb_per_run)


def prepare(hydra: DictConfig, jobs: Sequence[Job], forks: Forks) -> None:
    """Let what forks commands for these runs, if they are done side by side, begin its imports.

    Args:
        hydra: Hydra's node of the sweep's configuration.
        jobs: The runs.
        forks: The sweep's.

    Raises:
        ConfigError: A key of the launcher makes no sense, or there is no GPU for it.
    """
    queue = planned(hydra, jobs)
    if queue.at_once > 1 and hydra.runtime.choices["hydra/launcher"] == "cores":
        forks.server(queue.variables)


def queue_of(jobs: Sequence[Job], at_once: int | None, gb_per_run: float) -> Queue:
    """Return how these runs are done, given the launcher's keys.

    Raises:
        ConfigError: One of the keys makes no sense.
    """
    if at_once is not None and not (type(at_once) is int and at_once > 0):
        raise ConfigError(f"hydra.launcher.at_once={at_once}: must be a whole number from 1")
    if not (isinstance(gb_per_run, int | float) and gb_per_run > 0):
        raise ConfigError(f"hydra.launcher.gb_per_run={gb_per_run}: must be a number above 0")
    given = os.environ.get(THREADS, "")
    threads, spare, because = int(given) if given.isdecimal() and int(given) else 1, 0, ""
    if at_once is None:
        at_once, free = usable_cores() // threads, free_memory() / 1e9
        room = int(free // gb_per_run)
        if at_once < len(jobs) and threads == 1:  # several threads would wait for one another
            spare = max(min(at_once - 1, len(jobs) - at_once, room - at_once), 0)
        if min(at_once, len(jobs)) > room:
            at_once = room
            because = f" ({free:.1f} GB of memory are free, hydra.launcher.gb_per_run={gb_per_run})"
    at_once = min(at_once, len(jobs))
    if len(jobs) < 2 or not all(map(_alone, jobs)) or not _on_cpu(jobs):
        return Queue()
    return Queue(at_once, threads, spare, because) if at_once > 1 else Queue(because=because)


def _alone(job: Job) -> bool:
    """Return whether one process trains the run, and nobody debugs it in this one."""
    return world_size(job.cfg.trainer) == 1 and not job.cfg.debug


def _on_cpu(jobs: Sequence[Job]) -> bool:
    if all(job.cfg.trainer.accelerator == "cpu" for job in jobs):
        return True
    with importing_torch():
        from bench.run.build import device_of  # with torch

    return all(device_of(job.cfg) == "cpu" for job in jobs)
