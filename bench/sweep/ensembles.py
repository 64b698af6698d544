"""The ensembles that an experiment asks for: the runs of all seeds of a row and a column."""

from __future__ import annotations

from omegaconf import DictConfig

from bench.sweep.job import Ensemble, Places


def ensembles(cfg: DictConfig, places: Places) -> list[Ensemble]:
    """Return those of the sweep `cfg`; a row with a single run in the column has none."""
    found = []
    wanted = cfg.experiment.ensembles.items() if cfg.experiment is not None else ()
    for name, column in wanted:
        for row in dict.fromkeys(cell.row for cell, _ in places):
            here = [(c.seed, job) for c, job in places if (c.row, c.column) == (row, column)]
            jobs = tuple(dict.fromkeys(job for _, job in here))
            if len(jobs) > 1:
                found.append(Ensemble(row, name, min(seed for seed, _ in here), jobs))
    return found
