"""What a report is about: the records of runs, and the numbers computed from them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.report.grid import Grid, fill
from bench.report.groups import Group, groups
from bench.report.merged import read_all
from bench.report.read import Experiment, Records, ReportError
from bench.report.reproduction import Reproduction, reproductions
from bench.report.transfers import transfers
from elmo_core.errors import did_you_mean


@dataclass(frozen=True)
class Report:
    """Everything that is shown, before it is written in any form."""

    records: Records
    grids: list[Grid]
    groups: list[Group]
    reproductions: list[Reproduction]  # empty where there is nothing to reproduce

    def only(self, names: Collection[str]) -> Report:
        """Return the part of the report that is about these experiments; all of it without names.

        Raises ReportError for a name that no experiment has.
        """
        if not names:
            return self
        known = [grid.experiment.name for grid in self.grids]
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known)
                there = ", ".join(dict.fromkeys(known)) or "no experiment"
                raise ReportError(f"--only {name}: there is {there}{hint}")
        grids = [grid for grid in self.grids if grid.experiment.name in names]
        return Report(self.records, grids, [], self.reproductions)

    @property
    def left_out(self) -> list[str]:
        """A line for every file, run or experiment that is in no table, with the reason."""
        failed = self.records.failed.items()
        shown = {run for group in self.groups for run in group.runs}
        again = [run for run in self.records.listed if self.groups and run not in shown]
        return [
            *self.records.problems,
            *(
                f"{run.task}/{run.id}: a later run of the same choice and seed stands"
                for run in again
            ),
            *(f"{task}/{run} failed: {result.error}" for (task, run), result in failed),
            *(f"{task}/{run} is unfinished" for task, run in sorted(self.records.unfinished)),
        ]


def collect(
    places: Sequence[Path], trusted: Sequence[str] = (), against: Path | None = None
) -> Report:
    """Read folders of runs and compute all that their report shows.

    Args:
        places: folders of runs, or files of reference results; their runs stand together.
        trusted: packages whose tasks the runs may name.
        against: reference results that the runs may reproduce.

    Raises:
        ReportError: one of these is no such place.
    """
    records = read_all(places, trusted)
    reproduced = []
    if against:
        reference = read_all([against], trusted)
        reproduced = reproductions(records, reference)
        records.problems += reference.problems
    records.experiments = _plainly_named(records.experiments)
    every = (*records.experiments, *transfers(records))
    return Report(
        records,
        _dated([fill(each, records.of(each)) for each in every]),
        groups(records.listed),
        reproduced,
    )


def _plainly_named(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Name an experiment by its name alone where no other has it, so that a paper's references to
    its tables and figures stay right when seeds are added."""
    names = [plain(each.name) for each in experiments]
    found: dict[str, Experiment] = {}
    for name, each in zip(names, experiments, strict=True):
        alone = names.count(name) == 1 and name != "runs"  # the section of all runs
        stem = name if alone else plain(each.id)
        while stem in found:  # the same runs in two folders, on dev and on test
            stem += "-2"
        found[stem] = replace(each, path=each.path.with_name(f"{stem}.json"))
    return list(found.values())


def _dated(grids: Sequence[Grid]) -> list[Grid]:
    """Say in the titles of tables that one command has made when their last run began: the data, a
    recipe or the experiment's file has changed since."""
    made = [(grid.experiment.title, grid.experiment.command) for grid in grids]
    return [_with_date(g) if made.count(m) > 1 else g for g, m in zip(grids, made, strict=True)]


def _with_date(grid: Grid) -> Grid:
    begun = [each.date for run in grid.runs for each in run.result.provenance]
    when = f"last run of {max(begun)[:16].replace('T', ' ')}" if begun else "no run is there"
    title = f"{grid.experiment.title} ({when})"
    return replace(grid, experiment=replace(grid.experiment, title=title))


def plain(name: str) -> str:
    """Return a name that files, links, HTML and LaTeX take as it is: anyone may have given it."""
    return re.sub(r"[^\w.+-]+", "-", name)
