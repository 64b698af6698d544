"""What a report is about: the records of a runs folder, and the numbers computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report.grid import Grid, fill
from bench.report.groups import Group, groups
from bench.report.read import Records, read
from bench.report.transfers import stale, transfers


@dataclass(frozen=True)
class Report:
    """Everything that is shown, before it is written in any form."""

    records: Records
    grids: list[Grid]
    groups: list[Group]

    @property
    def left_out(self) -> list[str]:
        """A line for every file, run or experiment that is in no table, with the reason."""
        failed = self.records.failed.items()
        return [
            *self.records.problems,
            *stale(self.records),
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
        [fill(each, records) for each in (*records.experiments, *transfers(records))],
        groups(records.finished),
    )
