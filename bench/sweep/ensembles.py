"""The ensembles that an experiment asks for: of a row and a column, the runs of all seeds."""

from __future__ import annotations

from omegaconf import DictConfig

from bench.sweep.job import Ensemble, Places


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
