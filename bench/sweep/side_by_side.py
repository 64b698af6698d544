"""Runs side by side on one machine: the queue that launchers for Hydra share.

Every run is a command of its own (bench/sweep/apart.py), in one of a few slots.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

from bench.sweep.apart import Command, Forks, stop
from bench.sweep.attempt import outcome
from bench.sweep.board import Board
from bench.sweep.fork_server import ForkServer
from bench.sweep.job import Job, Outcome

PAUSE = 0.2  # seconds between two looks at what is running


@dataclass(frozen=True)
class Slot:
    """Where one run after another is done."""

    variables: Mapping[str, str]  # of the commands' environment
    where: str = ""  # said at the end of a run's line
    server: ForkServer | None = None  # what forks them; None: each is started anew


class Running:
    """A run that is under way in a slot, from the moment that this is made."""

    def __init__(self, job: Job, slot: Slot, words: Sequence[str]) -> None:
        self.job, self.slot, self.began = job, slot, time.monotonic()
        self.command = Command(words, job.record, slot.variables, slot.server)

    @property
    def seconds(self) -> float:
        """The time that it has taken so far."""
        return time.monotonic() - self.began

    def outcome(self) -> Outcome:
        """Return what came of the run, which has ended."""
        came = outcome(self.command.result, self.job.record, self.job.cfg.debug)
        return replace(came, seconds=self.seconds)


class SideBySide(Launcher):
    """Gives each run of a sweep the next slot that is free, and says in a line what came of it."""

    jobs: Sequence[Job] = ()
    """The runs, which the sweep names before it launches them."""

    forks: Forks
    """What forks commands for them: the sweep's, too."""

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        """Take in the sweep's configuration."""
        self.config = config

    def done(
        self,
        job_overrides: Sequence[Sequence[str]],
        slots: Sequence[Slot],
        spare: Sequence[Slot] = (),
    ) -> list[JobReturn]:
        """Do the runs, which these words compose, and return their outcomes in order.

        Args:
            job_overrides: Lists of words, one for each of the runs.
            slots: Where they are done, at least one.
            spare: More of these, taken once all runs that still wait find room in them.
        """
        HydraConfig.instance().set_config(self.config)  # from which commands take their folders
        free, unused = deque(slots), list(spare)
        waiting = deque(zip(self.jobs, job_overrides, strict=True))
        outcomes: dict[Job, Outcome] = {}
        with _under_way() as running, Board(running, len(self.jobs), len(slots)) as board:
            while waiting or running:
                while waiting and (free or len(waiting) <= len(unused)):
                    job, words = waiting.popleft()
                    slot = free.popleft() if free else unused.pop()
                    running.append(Running(job, slot, words))
                for run in [run for run in running if run.command.ended()]:
                    running.remove(run)
                    free.append(run.slot)
                    outcomes[run.job] = run.outcome()
                    board.ended(run, outcomes[run.job])
                board.tell()
                time.sleep(PAUSE if running else 0)
        return [returned(outcomes[job]) for job in self.jobs]


@contextmanager
def _under_way() -> Iterator[list[Running]]:
    """Yield an empty list; runs that are still in it when something goes wrong are ended."""
    running: list[Running] = []
    try:
        yield running
    finally:
        stop([run.command for run in running])


def returned(came: Outcome) -> JobReturn:
    """Return what came of a run as Hydra wants it from a launcher."""
    returned = JobReturn(status=JobStatus.COMPLETED)
    returned.return_value = came
    return returned
