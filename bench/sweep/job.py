"""A run among many: its place in a table, its state, and what came of it."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from omegaconf import DictConfig

from bench.ensemble.members import command, ensemble_id
from bench.errors import ConfigError
from bench.evaluate import asked
from bench.evaluate.asked import Asked, evaluation_id
from bench.noise import Noise
from bench.records import DamagedRecord, Failed, Finished
from bench.run.record import Record, outdated
from bench.run.trust import packages


@dataclass(frozen=True)
class Cell:
    """The place of a run in a table."""

    row: str
    column: str
    seed: int
    words: tuple[str, ...]  # of the command line, besides the seed
    x: float | None = None  # of the column, where it stands on an axis
    searched: tuple[tuple[str, Any], ...] = ()  # keys and values that a search put into the words

    @property
    def overrides(self) -> list[str]:
        """The words of the command line that compose the run."""
        return [*self.words, f"seed={self.seed}"]

    def __str__(self) -> str:
        values = " ".join(f"{key}={value}" for key, value in self.searched)
        return " · ".join(filter(None, (self.row, self.column, values, f"seed {self.seed}")))


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt at a run."""

    status: str  # finished | failed | elsewhere: another process is at it
    what: str  # the score, or why there is none; one line
    mendable: bool = True  # by the user
    seconds: float = 0.0


def leave(missing: Sequence[Outcome | None]) -> None:
    """Exit where runs are missing: with status 2 if the user can mend why each is, else 1."""
    if missing:
        sys.exit(2 if all(outcome and outcome.mendable for outcome in missing) else 1)


@dataclass(eq=False)
class Job:
    """A run and the cells that it fills: cells that are the same choice are one run."""

    cfg: DictConfig
    record: Record
    encoder: str  # as chosen on the command line
    cells: list[Cell] = field(default_factory=list)
    found: str = field(init=False)
    """finished | damaged | running elsewhere | interrupted | failed | new"""
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        self.found = self._found()

    def _found(self) -> str:
        """Return the state of the run before anything is done."""
        try:
            result = self.record.result()
        except DamagedRecord:
            if not self.cfg.force:
                return "damaged"
            result = None
        if isinstance(result, Finished) and not self.cfg.force:
            return "finished"
        if self.record.busy():
            return "running elsewhere"
        if self.record.last.exists() and not self.cfg.force:
            return "interrupted"
        return "failed" if isinstance(result, Failed) else "new"

    @property
    def result(self) -> Finished | None:
        """The result, if the run is finished by now and its record can be read."""
        return self.record.readable()

    @property
    def done(self) -> bool:
        """Whether the run is finished by now."""
        return self.result is not None

    @property
    def failed(self) -> bool:
        """Whether the attempt at the run failed; a result of before may be there all the same."""
        return self.outcome is not None and self.outcome.status == "failed"

    @property
    def elsewhere(self) -> bool:
        """Whether another process was at work on the run when it was attempted."""
        return self.outcome is not None and self.outcome.status == "elsewhere"


Places = Sequence[tuple[Cell, Job]]


def require_differences(places: Places) -> None:
    """Raise ConfigError for an experiment that has the same runs in all columns of each row."""
    found = defaultdict[tuple[str, str], set[Job]](set)
    for cell, job in places:
        found[cell.row, cell.column].add(job)
    columns = list(dict.fromkeys(column for _, column in found))
    same = all(jobs == found[row, columns[0]] for (row, _), jobs in list(found.items()))
    if len(columns) > 1 and same:
        raise ConfigError(f"{', '.join(columns)}: in each row these columns are the same runs")


@dataclass(frozen=True, eq=False)
class Ensemble:
    """A further cell of a table, in which the runs of all seeds of another are combined."""

    row: str
    column: str
    seed: int  # the lowest of its runs'
    jobs: tuple[Job, ...]

    @cached_property
    def record(self) -> Record:
        """The ensemble's own folder, beside its runs."""
        folders = [job.record.folder for job in self.jobs]
        return Record(folders[0].parent / ensemble_id(folder.name for folder in folders))

    @property
    def command(self) -> str:
        """What combines the runs, for a shell."""
        folders = [job.record.folder for job in self.jobs]
        return command(folders, trusted=packages(self.jobs[0].cfg))

    @property
    def ready(self) -> bool:
        """Whether all its runs are finished."""
        return all(job.done for job in self.jobs)

    @property
    def done(self) -> bool:
        """Whether the ensemble is recorded, and no run of it has been repeated since."""
        result = self.record.readable()
        now = {run.run_id: run for job in self.jobs if (run := job.result)}
        return result is not None and not outdated(result, now)

    def __str__(self) -> str:
        return f"{self.row} · {self.column} · {len(self.jobs)} runs"


@dataclass(frozen=True, eq=False)
class Noisy:
    """A further cell of a table, in which a run is scored on its dev set with words misspelled."""

    cell: Cell  # of the run
    job: Job
    noise: Noise

    @property
    def asked(self) -> Asked:
        """What the run is scored on."""
        return Asked(None, ("dev",), noise=self.noise)

    @cached_property
    def record(self) -> Record:
        """The evaluation's own folder, beside its run."""
        folder = self.job.record.folder
        return Record(folder.parent / evaluation_id(folder.name, self.asked, {}))

    @property
    def command(self) -> str:
        """What scores the run, for a shell."""
        return asked.command(self.job.record.folder, self.asked, packages(self.job.cfg))

    @property
    def ready(self) -> bool:
        """Whether the run is finished."""
        return self.job.done

    @property
    def done(self) -> bool:
        """Whether the evaluation is recorded, and its run has not been repeated since."""
        result, run = self.record.readable(), self.job.result
        return bool(result and run and not outdated(result, {run.run_id: run}))

    def __str__(self) -> str:
        return f"{self.cell} · {self.noise}"
