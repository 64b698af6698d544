"""The same search for every row and column of an experiment, on dev alone and with its first seed.

A run for each combination of the values in `experiment.search` is a trial. All seeds then train
with what scored best: for each row and column by itself, and of equals with the first of the grid,
in which the last key changes fastest.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from omegaconf import DictConfig, OmegaConf

from bench.config import Config
from bench.errors import ConfigError
from bench.records import Searched, Trial
from bench.sweep.expand import written
from bench.sweep.job import Cell, Job, Places

SEARCHED = ("task.", "elmo.", "training.", "word_dropout")
"""How keys begin that say how a head is made and trained; others would change what is compared."""


@dataclass(frozen=True, eq=False)
class GridSearch:
    """The trials of a row and a column, in the grid's order."""

    trials: Places

    @property
    def settled(self) -> bool:
        """Whether all trials are finished, so that one of them is the best."""
        return all(job.found == "finished" for _, job in self.trials)

    @property
    def place(self) -> tuple[str, str]:
        """The row and the column."""
        cell, _ = self.trials[0]
        return cell.row, cell.column

    def record(self) -> Searched:
        """Return what was tried and what was chosen. The search must be settled."""
        trials = [
            Trial(values=dict(cell.searched), run_id=job.record.folder.name, dev=_dev(job))
            for cell, job in self.trials
        ]
        cell, job = self.trials[0]
        return Searched(
            row=cell.row,
            column=cell.column,
            seed=cell.seed,
            task=job.cfg.task["name"],
            trials=trials,
            chosen=max(trials, key=lambda trial: trial.dev).values,
        )


def trials(cfg: DictConfig, cells: Iterable[Cell]) -> list[list[Cell]]:
    """Return the trials of each row and column; nothing where the sweep `cfg` searches nothing.

    Args:
        cfg: The sweep's configuration.
        cells: Those of its table; the first of a row and a column has the seed of its trials.

    Raises:
        ConfigError: A key does not begin as one of `SEARCHED`, has no values or one of them twice,
            or has one already.
    """
    if cfg.experiment is None or not cfg.experiment.search:
        return []
    experiment: Any = OmegaConf.to_container(cfg.experiment, resolve=True)
    search = experiment["search"]
    if not isinstance(search, dict):
        raise ConfigError(f"experiment.search={search}: expected {{KEY: [VALUE, …], …}}")
    first: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        first.setdefault((cell.row, cell.column), cell)
    for key, values in search.items():
        _check(key, values, first.values())
    grid = [
        tuple(zip(search, values, strict=True)) for values in itertools.product(*search.values())
    ]
    return [[_with(cell, values) for values in grid] for cell in first.values()]


def settle(searches: Iterable[GridSearch]) -> None:
    """Take in what came of the trials; say in a line which row and column lacks one of them."""
    for search in searches:
        for _, job in search.trials:
            if job.outcome is not None and job.outcome.status == "finished":
                job.found = "finished"
        if not search.settled:
            place = " · ".join(search.place)
            print(f"{place}: left out: not all of its trials are finished", file=sys.stderr)


def chosen(cells: Iterable[Cell], searches: Sequence[GridSearch]) -> list[Cell]:
    """Return the cells with what was chosen for their rows and columns, if that is settled."""
    if not searches:
        return list(cells)
    found = {search.place: search.record().chosen for search in searches if search.settled}
    return [
        _with(cell, tuple(found[cell.row, cell.column].items()))
        for cell in cells
        if (cell.row, cell.column) in found
    ]


def expected(cells: Iterable[Cell], searches: Sequence[GridSearch]) -> list[Cell]:
    """Return as many cells as there will be, with the first trial's values, for a forecast."""
    first = {search.place: search.trials[0][0].searched for search in searches}
    return [_with(cell, first[cell.row, cell.column]) for cell in cells]


def _with(cell: Cell, values: tuple[tuple[str, Any], ...]) -> Cell:
    return replace(cell, words=(*cell.words, *written(dict(values))), searched=values)


def _dev(job: Job) -> float:
    result = job.result
    assert result is not None
    return result.dev_score


def _check(key: str, values: object, cells: Iterable[Cell]) -> None:
    plain = key.lstrip("+")
    known = [each.name for each in fields(Config)] + ["hydra"]
    if plain.partition(".")[0] in known and not plain.startswith(SEARCHED):
        raise ConfigError(
            f"experiment.search: {key}: not searched: only how a head is made and trained is, by "
            "keys of task, elmo, training, and word_dropout"
        )
    if not isinstance(values, list) or not values:
        raise ConfigError(f"experiment.search: {key}: {values}: expected [VALUE, …]")
    if len({str(value) for value in values}) < len(values):
        raise ConfigError(f"experiment.search: {key}: {values}: the same value twice")
    for cell in cells:
        for word in cell.words:
            if word.partition("=")[0] == key:
                place = f"{cell.row} · {cell.column}"
                raise ConfigError(f"experiment.search: {key}: {place} has {word} already")
