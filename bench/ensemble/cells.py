"""The ensembles that an experiment asks for: of a row and a column, the runs of all seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from bench.ensemble.members import command, ensemble_id
from bench.record import Record

if TYPE_CHECKING:
    from bench.manifest import Places
    from bench.sweep import Job


@dataclass(frozen=True, eq=False)
class Ensemble:
    """A further cell of the table."""

    row: str
    column: str
    seed: int  # the lowest of its runs'
    jobs: tuple[Job, ...]

    @cached_property
    def record(self) -> Record:
        folders = [job.record.folder for job in self.jobs]
        return Record(folders[0].parent / ensemble_id(folder.name for folder in folders))

    @property
    def command(self) -> str:
        return command([job.record.folder for job in self.jobs])

    @property
    def task(self) -> str:
        return str(self.jobs[0].cfg.task["name"])

    @property
    def ready(self) -> bool:
        return all(job.done for job in self.jobs)

    @property
    def done(self) -> bool:
        return self.record.finished() is not None

    def __str__(self) -> str:
        return f"{self.row} · {self.column} · {len(self.jobs)} runs"


def ensembles(cfg: DictConfig, places: Places) -> list[Ensemble]:
    """None for a cell with a single run. `cfg`: the sweep's."""
    found = []
    wanted = cfg.experiment.ensembles.items() if cfg.experiment is not None else ()
    for name, column in wanted:
        for row in dict.fromkeys(cell.row for cell, _ in places):
            here = [(c.seed, job) for c, job in places if (c.row, c.column) == (row, column)]
            jobs = tuple(dict.fromkeys(job for _, job in here))
            if len(jobs) > 1:
                found.append(Ensemble(row, name, min(seed for seed, _ in here), jobs))
    return found
