"""What a report is about: the records of a runs folder, and the numbers computed from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report.grid import Grid, fill
from bench.report.groups import Group, groups
from bench.report.read import Records, ReportError, read
from elmo_core.errors import did_you_mean


@dataclass(frozen=True)
class Report:
    """Everything that is shown, before it is written in any form."""

    records: Records
    grids: list[Grid]
    groups: list[Group]

    def only(self, names: Collection[str]) -> Report:
        """Return the part of the report that is about these experiments.

        Raises ReportError for a name that no experiment has.
        """
        known = [grid.experiment.name for grid in self.grids]
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known)
                there = ", ".join(dict.fromkeys(known)) or "no experiment"
                raise ReportError(f"--only {name}: there is {there}{hint}")
        return Report(self.records, [g for g in self.grids if g.experiment.name in names], [])

    @property
    def left_out(self) -> list[str]:
        """A line for every file, run or experiment that is in no table, with the reason."""
        failed = self.records.failed.items()
        return [
            *self.records.problems,
            *(f"{task}/{run} failed: {result.error}" for (task, run), result in failed),
            *(f"{task}/{run} is unfinished" for task, run in sorted(self.records.unfinished)),
        ]


def collect(runs: Path, trusted: Sequence[str] = ()) -> Report:
    """Read a runs folder and compute all that its report shows.

    Raises ReportError where `runs` is no folder of runs.
    """
    records = read(runs, trusted)
    return Report(
        records,
        [fill(experiment, records) for experiment in records.experiments],
        groups(records.finished),
    )
