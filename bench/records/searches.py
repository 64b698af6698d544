"""What an experiment tried on dev, before all seeds were trained with what it chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.records.typed_json import arguments


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One run of a search: its values, by key, and its score on dev."""

    values: Mapping[str, Any]
    run_id: str
    dev: float  # the task's primary metric


@dataclass(frozen=True, kw_only=True)
class Searched:
    """The search of one row and column: all its trials, in their order, and what was chosen."""

    row: str
    column: str
    task: str
    seed: int  # of the trials
    trials: Sequence[Trial]
    chosen: Mapping[str, Any]  # the values of the best on dev; of equals, of the first

    @property
    def place(self) -> tuple[str, str]:
        """The row and the column."""
        return self.row, self.column

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The task and the run id of each trial, which are its folder."""
        return [(self.task, trial.run_id) for trial in self.trials]

    @property
    def runs(self) -> int:
        """How many runs that were: values that a run does not have make no other run."""
        return len(set(self.keys))


def searched_of(content: Mapping[str, Any]) -> Searched:
    """Make a search of what was written. Raises ValueError, KeyError or TypeError."""
    trials = [Trial(**arguments(Trial, trial)) for trial in content["trials"]]
    found = Searched(**arguments(Searched, content, trials=trials))
    if found.chosen not in [trial.values for trial in trials]:
        raise ValueError(f"{found.row}, {found.column}: what was chosen is none of the trials")
    return found
