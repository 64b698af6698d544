"""An experiment's cells filled with what its runs gave: means over seeds, differences, gaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from bench.choice import leaves
from bench.experiment import View
from bench.records import BETWEEN, ManifestCell
from bench.report.compare import Incomparable, compared
from bench.report.names import metric_name, task_name
from bench.report.read import Experiment, Records, Run
from bench.report.statistics import Comparison, holm

MARKS = ((0.01, 2), (0.05, 1))
STAR, HOLLOW = "*", "☆"  # hollow: of one seed, which says nothing about other seeds


@dataclass(frozen=True)
class Scores:
    """One number for each seed."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return fmean(self.values)

    @property
    def sd(self) -> float | None:
        """Sample standard deviation; None for one seed."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Gap:
    """A run that an experiment asks for and that has no score."""

    cell: ManifestCell
    status: str  # missing | unfinished | failed | damaged
    reason: str = ""


@dataclass(frozen=True)
class Entry:
    """Row × column of a table: the runs of all seeds."""

    cells: tuple[ManifestCell, ...]
    runs: tuple[Run, ...]  # the finished ones
    gaps: tuple[Gap, ...]
    split: str
    paper: float | None
    scores: Scores | None  # None without a finished run
    against: Comparison | None = None
    clusters: int | None = None  # of the examples; None where no record names any
    p: float | None = None  # of `against`, corrected over the table (Holm)
    not_compared: str = ""  # the reason, where there should be an `against`

    @property
    def mark(self) -> str:
        """The stars of the corrected p-value; empty where it is not significant."""
        if self.against is None or self.p is None:
            return ""
        stars = next((number for level, number in MARKS if self.p < level), 0)
        return stars * (HOLLOW if self.against.one_seed else STAR)


Entries = dict[tuple[str, str], Entry]


@dataclass(frozen=True)
class Grid:
    """An experiment's rows and columns."""

    experiment: Experiment
    entries: Entries

    @property
    def baseline(self) -> str:
        """What columns are compared with, in words."""
        return self.experiment.baseline or "no ELMo on the same data"

    def row(self, row: str) -> list[Entry | None]:
        return [self.entries.get((row, column)) for column in self.experiment.columns]

    @property
    def runs(self) -> list[Run]:
        return [run for entry in self.entries.values() for run in entry.runs]

    @property
    def gaps(self) -> list[Gap]:
        return [gap for entry in self.entries.values() for gap in entry.gaps]

    @property
    def comparisons(self) -> list[Comparison]:
        return [entry.against for entry in self.entries.values() if entry.against]

    def metric(self, row: str) -> str:
        return next((run.result.metric for run in self.runs_of(row)), "")

    def title(self, row: str) -> str:
        """The row's name; a task that it begins with is called as papers do."""
        task, *parts = row.split(BETWEEN)
        runs = self.runs_of(row)
        return BETWEEN.join([task_name(runs[0]), *parts]) if runs and runs[0].task == task else row

    def scored_by(self, row: str) -> str:
        """The split and the metric that the row shows, as `dev accuracy`."""
        metrics = dict.fromkeys(map(metric_name, self.runs_of(row)))
        return " ".join(filter(None, [self.split(row), " and ".join(metrics)]))

    def of_one_kind(self, row: str) -> bool:
        """Say whether the row's scores are of one task and one metric, so that they compare."""
        return len({(run.task, run.result.metric) for run in self.runs_of(row)}) < 2

    def runs_of(self, row: str) -> list[Run]:
        return [run for entry in self.row(row) if entry for run in entry.runs]

    def split(self, row: str) -> str:
        return next((entry.split for entry in self.row(row) if entry), self.experiment.split)

    def yardsticks(self, row: str) -> Mapping[str, float]:
        """The scores of what needs no learning, in this row's split: where it has most data."""
        filled = [entry for entry in self.row(row) if entry and entry.runs]
        if not filled or not self.of_one_kind(row):
            return {}
        entry = max(filled, key=lambda entry: trained_on(entry.runs[0]))
        return mean_yardsticks(entry.runs, entry.split)

    def sizes(self, row: str) -> set[int]:
        """How many examples the row's runs were trained on."""
        return {trained_on(run) for run in self.runs_of(row)}

    def base(self, row: str, column: str) -> str | None:
        """Return the column that this one is compared with: the experiment's baseline; for sample
        efficiency, the one without ELMo on as much data, of several the one most like it."""
        experiment = self.experiment
        if experiment.view is not View.efficiency or experiment.baseline is not None:
            return experiment.baseline if column != experiment.baseline else None
        entry = self.entries.get((row, column))
        if entry is None or entry.cells[0].placement == "none":
            return None
        without = [each for each in self.row(row) if each and each.cells[0].placement == "none"]
        alike = [each for each in without if each.cells[0].x == entry.cells[0].x]
        searched = {key for search in experiment.searches for key in search.chosen}

        def unlike(other: Entry) -> tuple[int, bool]:
            return _differences(entry, other, searched), not other.runs

        return min(alike, key=unlike).cells[0].column if alike else None

    def against(self, row: str, column: str) -> Entry | None:
        """Return the entry that this one is compared with."""
        return self.entries.get((row, self.base(row, column) or ""))

    def paper_difference(self, row: str, column: str) -> float | None:
        """The paper's number minus the paper's baseline."""
        paper, baseline = self.experiment.paper.get(row, {}), self.base(row, column)
        if baseline is None or not {baseline, column} <= paper.keys():
            return None
        return paper[column] - paper[baseline]


def _differences(one: Entry, other: Entry, beside: Set[str]) -> int:
    """Count the keys, but for ELMo's and those `beside`, in which the runs of two entries differ;
    none where one has no runs."""
    if not (one.runs and other.runs):
        return 0
    ours, theirs = (dict(leaves(each.runs[0].choice)) for each in (one, other))
    keys = {key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)}
    return sum(not key.startswith(("elmo.", "encoder.", "features.")) for key in keys - beside)


def trained_on(run: Run) -> int:
    """Return how many examples a run was trained on; 0 where the record does not tell."""
    return run.result.counts.get("train", 0)


def mean_yardsticks(runs: Sequence[Run], split: str) -> dict[str, float]:
    """Average what needs no learning over runs: each seed may draw a share of the training set."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for run in runs:
        for name, score in run.result.yardsticks.get(split, {}).items():
            found[name].append(score)
    return {name: fmean(scores) for name, scores in found.items()}


def fill(experiment: Experiment, records: Records) -> Grid:
    """Return the experiment's table, every column compared with the baseline in its row."""
    entries = {}
    for row in experiment.rows:
        cells = [cell for cell in experiment.cells if cell.row == row]
        split = _split(cells, experiment.split, records)
        for column in experiment.columns:
            here = [cell for cell in cells if cell.column == column]
            if here:
                paper = experiment.paper.get(row, {}).get(column)
                entries[row, column] = _entry(here, split, paper, records)
    return _compare(Grid(experiment, entries))


def _split(cells: Sequence[ManifestCell], wanted: str, records: Records) -> str:
    """Return the split that all finished runs of a row have: the wanted one, if they do."""
    runs = [run for cell in cells if (run := records.runs.get(cell.key))]
    splits = (wanted, "dev", "test")
    return next((s for s in splits if all(run.score(s) is not None for run in runs)), "dev")


def _entry(
    cells: Sequence[ManifestCell], split: str, paper: float | None, records: Records
) -> Entry:
    """Fill an entry; a run that older experiments name twice (`seed=1,1`) is one seed."""
    cells = list({cell.key: cell for cell in cells}.values())
    runs = tuple(records.runs[cell.key] for cell in cells if cell.key in records.runs)
    values = tuple(value for run in runs if (value := run.score(split)) is not None)
    return Entry(
        cells=tuple(cells),
        runs=runs,
        gaps=tuple(_gap(cell, records) for cell in cells if cell.key not in records.runs),
        split=split,
        paper=paper,
        scores=Scores(values) if values else None,
    )


def _gap(cell: ManifestCell, records: Records) -> Gap:
    if cell.key in records.failed:
        return Gap(cell, "failed", records.failed[cell.key].error)
    if cell.key in records.damaged:
        return Gap(cell, "damaged", "its result.json cannot be read: remove it first")
    return Gap(cell, "unfinished" if cell.key in records.unfinished else "missing")


def _compare(grid: Grid) -> Grid:
    """Compare each entry with its row's baseline, and correct the p-values of all together."""
    filled = dict(grid.entries)
    for (row, column), entry in grid.entries.items():
        base = grid.against(row, column)
        if base is None or not entry.runs:
            continue
        try:
            if not base.runs:
                raise Incomparable("the baseline has no finished run")
            if {run.key for run in entry.runs} <= {run.key for run in base.runs}:
                raise Incomparable("these are the baseline's own runs")
            against, clusters = compared(base.runs, entry.runs, entry.split)
            filled[row, column] = replace(entry, against=against, clusters=clusters)
        except Incomparable as reason:
            filled[row, column] = replace(entry, not_compared=str(reason))
    family = [(key, entry.against.p) for key, entry in filled.items() if entry.against]
    for (key, _), p in zip(family, holm([p for _, p in family]), strict=True):
        filled[key] = replace(filled[key], p=p)
    return replace(grid, entries=filled)
