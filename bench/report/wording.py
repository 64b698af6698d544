"""Numbers as text: one place for digits, signs and units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple

from bench.records import Searched
from bench.report.all_tasks import AllTasks
from bench.report.grid import Entry, Grid, Scores
from bench.report.groups import Group
from bench.report.read import Run
from bench.report.resolution import LARGEST, Resolution
from bench.report.statistics import LEVEL, MOST_SEEDS, Comparison, MeanGain

MARKED = "* p < 0.05, ** p < 0.01"
HOLLOW_MARKED = "☆ p < 0.05, ☆☆ p < 0.01"
UNKNOWN = "steps, machine and fingerprint of the data are not known"
CONFIDENCE = f"{100 * LEVEL:.0f} %"
FEWEST_RUNS = 5  # below, an interval from runs drawn anew is too narrow (Agarwal et al. 2021)


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


def interval(found: Comparison | MeanGain, digits: int = 2) -> str:
    """Return `[+0.31, +4.52]`."""
    return f"[{signed(found.low, digits)}, {signed(found.high, digits)}]"


def margin(found: Comparison) -> str:
    """Return half the interval and its part: `±2.10, 1.80 from seeds`; of one seed just `±2.10`."""
    whole = f"±{number(found.half_width, 2)}"
    return whole if found.one_seed else f"{whole}, {number(found.from_seeds, 2)} from seeds"


def smallest(difference: float) -> str:
    """Return the smallest difference that is found, in points; some are larger than any can be."""
    return number(difference) if difference < LARGEST else f"more than {LARGEST:.0f}"


def seeds_for_paper(found: Resolution) -> str:
    """Return the number of seeds that the paper's difference takes, as far as it is known."""
    if not found.paper:
        return ""
    if found.against.one_seed:
        return "not known from one seed"
    return str(found.seeds or f"more than {MOST_SEEDS}: too few examples")


def seeds_of(there: int, wanted: int) -> str:
    """Return `3`, or `2 of 3` where not all seeds are there."""
    return str(there) if there == wanted else f"{there} of {wanted}"


def improvement(found: AllTasks) -> str:
    """Return `0.87 [0.62, 1.00]`; the interval, which is of runs alone, from five runs on."""
    value, low, high = (number(x, 2) for x in astuple(found.improvement))
    return f"{value} [{low}, {high}]" if found.runs >= FEWEST_RUNS else value


def p_value(p: float) -> str:
    """Return a p-value for a column: `<0.001` or `0.012`."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """Return a p-value for a sentence: `p < 0.001` or `p = 0.012`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def about(grid: Grid) -> list[str]:
    """Return what an experiment repeats, and on which data and encoder it was done."""
    experiment = grid.experiment
    setting = (f"data={experiment.data}", f"encoder={experiment.encoder}", *parts(grid.runs))
    return [text for text in (experiment.source, *setting) if text]


def titled(name: str, groups: Sequence[Group]) -> str:
    """Return the title of a list of runs, as `NER on mini, data.train_share=0.1`."""
    return ", ".join([name, *parts([run for group in groups for run in group.runs])])


def parts(runs: Sequence[Run]) -> list[str]:
    """Return how much of their data all runs had, where less than all: `data.train_share=0.1`."""
    shares = {run.choice["data"].get("train_share") or 1 for run in runs}
    limits = {run.limit_batches for run in runs}
    share = [f"data.train_share={value(each)}" for each in shares - {1}]
    limit = [f"trainer.limit_batches={each}" for each in limits - {None}]
    return [*share * (len(shares) == 1), *limit * (len(limits) == 1)]


def yardsticks(found: Mapping[str, float]) -> str:
    """Return `majority class 33.4, …`."""
    return ", ".join(f"{name} {number(value)}" for name, value in found.items())


def value(found: object) -> str:
    """Return the value of a key, as `0.001`."""
    return f"{found:g}" if isinstance(found, float) else str(found)


def chosen(search: Searched) -> str:
    """Return the values that were chosen, as `0.001, 0.5`."""
    return ", ".join(map(value, search.chosen.values()))


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
