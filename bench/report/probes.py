"""What an experiment's probes cannot have learned by heart: selectivity and online code length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bench.report.compare import Incomparable, compared
from bench.report.grid import Entry, Grid
from bench.report.read import Run
from bench.report.statistics import Comparison

EXPLAINED = (
    "Control: the same probe on labels drawn at random, one a word; selectivity: score minus "
    "control, paired by seed and example (Hewitt & Liang 2019). Code: the online code length of "
    "the training labels; in brackets, how many times as long it is where all labels are equally "
    "likely (Voita & Titov 2020)."
)


@dataclass(frozen=True)
class CodeLength:
    """The online code of some runs, as a mean over the seeds."""

    bits: float
    compression: float


@dataclass(frozen=True)
class Probe:
    """A cell's probe on its task and on the control task."""

    row: str
    column: str
    entry: Entry
    control: Entry | None  # None without one in the experiment
    selectivity: Comparison | None  # None where scores of the same seeds are not there
    code: CodeLength | None
    control_code: CodeLength | None


def probes(grid: Grid) -> Iterator[Probe]:
    """Yield the cells that have a control task or an online code, but for the control's own."""
    for (row, column), entry in grid.entries.items():
        if not entry.runs or _choice(entry)["data"].get("control"):
            continue
        control, code = _control(grid, entry), _code(entry.runs)
        if control or code:
            yield Probe(
                row,
                column,
                entry,
                control,
                _selectivity(entry, control) if control else None,
                code,
                _code(control.runs) if control else None,
            )


def _choice(entry: Entry) -> dict[str, Any]:
    return entry.runs[0].choice


def _control(grid: Grid, entry: Entry) -> Entry | None:
    """Return the cell whose runs differ from those of `entry` in the labels alone."""
    chosen, tested = _choice(entry), _tested(entry)
    wanted = {**chosen, "data": {**chosen["data"], "control": True}}
    for other in grid.entries.values():
        if other.runs and _choice(other) == wanted and _tested(other) == tested:
            return other
    return None


def _tested(entry: Entry) -> list[dict[str, Any]] | None:
    """Return how finished runs were scored: what they had learned, but for the labels, and how
    examples were read and spelled. None for a run's own scores."""
    found = entry.runs[0].result.evaluation
    if found is None:
        return None
    noise = {key: value for key, value in (found.noise or {}).items() if key != "changed"}
    return [{**found.trained_on, "control": True}, dict(found.names), noise]


def _selectivity(entry: Entry, control: Entry) -> Comparison | None:
    try:
        return compared(control.runs, entry.runs, entry.split)[0]
    except Incomparable:
        return None


def _code(runs: Sequence[Run]) -> CodeLength | None:
    """Return the mean code of the runs that have one."""
    codes = [code for run in runs if (code := run.result.online_code)]
    if not codes:
        return None
    return CodeLength(fmean(c.bits for c in codes), fmean(c.compression for c in codes))
