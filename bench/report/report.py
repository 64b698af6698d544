"""Everything that a report shows, before it is written in any form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.report.grid import Grid, fill
from bench.report.groups import Group, groups
from bench.report.records import Records, read


@dataclass(frozen=True)
class Report:
    records: Records
    grids: list[Grid]
    groups: list[Group]


def collect(runs: Path) -> Report:
    """Raises ReportError where `runs` is no folder of runs."""
    records = read(runs)
    return Report(
        records,
        [fill(experiment, records) for experiment in records.experiments],
        groups(records.finished),
    )
