"""Numbers as text: one place for digits, signs and units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from bench.records import SCHEMA
from bench.report.grid import Entry, Grid, Scores
from bench.report.read import Experiment
from bench.report.statistics import LEVEL

MARKED = "* p < 0.05, ** p < 0.01"
UNKNOWN = "their steps, machine and data's fingerprint are not known"
CONFIDENCE = f"{100 * LEVEL:.0f} %"


def number(value: float, digits: int = 1) -> str:
    """Return a rounded number with a true minus sign, and never −0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def signed(value: float, digits: int = 1) -> str:
    """Return a rounded number that always has its sign."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")


def scores(found: Scores) -> str:
    """Return `61.0 ± 0.8 (n=5)`; without ± for a single seed."""
    if found.sd is None:
        return number(found.mean)
    return f"{number(found.mean)} ± {number(found.sd)} (n={len(found.values)})"


def p_value(p: float) -> str:
    """Return a p-value for a column: `<0.001` or `0.012`."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """Return a p-value for a sentence: `p < 0.001` or `p = 0.012`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def about(experiment: Experiment) -> list[str]:
    """Return what an experiment repeats, and on which data and encoder it was done."""
    setting = (f"data={experiment.data}", f"encoder={experiment.encoder}")
    return [text for text in (experiment.source, *setting) if text]


def yardsticks(found: Mapping[str, float]) -> str:
    """Return `majority class 33.4, …`."""
    return ", ".join(f"{name} {number(value)}" for name, value in found.items())


def paper(value: float, difference: float | None) -> str:
    """Return `89.1 (+1.0)`, with as many digits as the paper has, one at least."""
    printed = max(f"{value:.1f}", f"{value:g}", key=len)
    return printed if difference is None else f"{printed} ({signed(difference)})"


def gaps(entry: Entry) -> str:
    """Return `missing` or `1 failed of 3 seeds`; empty where no run is missing."""
    counted = Counter(gap.status for gap in entry.gaps)
    if len(entry.cells) == 1:
        return "".join(counted)
    text = ", ".join(f"{number} {status}" for status, number in counted.items())
    return f"{text} of {len(entry.cells)} seeds" if text and entry.runs else text


def updates(epochs: float | None, an_epoch: int | None) -> str:
    """Return updates, with epochs in brackets, as `1,200 (12)`; `never` for None."""
    if epochs is None:
        return "never"
    return f"{epochs * an_epoch:,.0f} ({epochs:.3g})" if an_epoch else f"? ({epochs:.3g})"


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours, as `12 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def count(value: int | None) -> str:
    """Return a count in thousands or millions, as `1.2 M`."""
    if value is None:
        return ""
    for size, unit in ((1_000_000, " M"), (1_000, " k")):
        if value >= size:
            return f"{value / size:.1f}{unit}"
    return str(value)


def notes(grid: Grid) -> list[str]:
    """Return what a reader of an experiment's table must know, a sentence or two each."""
    experiment, entries = grid.experiment, grid.entries.values()
    against = [entry.against for entry in entries if entry.against]
    several = any(entry.scores and entry.scores.sd is not None for entry in entries)
    spread = "± is the sample standard deviation over n seeds; no ± means one seed."
    found = [spread if several else "One seed a cell."] if grid.runs else []
    if against:
        found.append(
            f"With a sign: the difference from {grid.baseline}. {MARKED}: two-sided, with Holm's "
            f"correction over this table's {len(against)} comparisons. Intervals: {CONFIDENCE}, "
            "over seeds and examples (docs/statistics.md)."
        )
    if of_old := sum(run.result.written_as < SCHEMA for run in grid.runs):
        found.append(f"Of {of_old} runs an earlier version wrote the record: {UNKNOWN}.")
    if any(each.one_seed for each in against):
        found.append("One seed: interval and p-value are of these examples only.")
    found += [
        f"{row}: no test score in every run, so dev is shown."
        for row in experiment.rows
        if grid.split(row) != experiment.split
    ]
    if experiment.paper and experiment.data != "paper":
        found.append(
            f"The paper's numbers are on its own data: with data={experiment.data}, compare orders "
            "and differences rather than scores."
        )
    found += [
        f"{row}, {column}: not compared: {entry.not_compared}."
        for (row, column), entry in grid.entries.items()
        if entry.not_compared
    ]
    return found
