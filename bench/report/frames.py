"""The plain tables of a report, in words: all but the scores, which score_table.py makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean

from bench.console import counted
from bench.report import sample_efficiency, wording
from bench.report.all_tasks import over_all_tasks
from bench.report.epochs import by_epoch
from bench.report.frame import Frame
from bench.report.grid import Entry, Grid, mean_yardsticks, trained_on
from bench.report.groups import Group
from bench.report.mixes import MeanMix, mixes
from bench.report.names import metric_name, task_name
from bench.report.probes import CodeLength, probes
from bench.report.reproduction import Reproduction
from bench.report.resolution import resolutions
from bench.report.statistics import POWER


def beside(grid: Grid) -> dict[str, Frame]:
    """Return the tables that belong beside an experiment's scores, by name: those with rows."""
    found = {
        "trials on dev": trials(grid),
        "over all tasks": all_tasks(grid),
        f"differences from {grid.baseline}": comparisons(grid),
        "smallest differences that are found": smallest(grid),
        "dev scores by epoch": by_epoch(grid),
        f"updates to reach the best score of {grid.baseline}": reached(grid),
        "probes": selectivities(grid),
        "learned mixes": weights(grid),
        "what each encoder costs": costs(grid),
    }
    return {name: _titled(frame, grid) for name, frame in found.items() if frame.rows}


def _titled(frame: Frame, grid: Grid) -> Frame:
    """Call rows that are tasks as papers do."""
    if frame.head[0] != "row":
        return frame
    return replace(frame, rows=[[grid.title(row), *rest] for row, *rest in frame.rows])


def trials(grid: Grid) -> Frame:
    """Return every trial of the searches of rows and columns, with its score on dev."""
    searches = grid.experiment.searches
    keys = dict.fromkeys(key for search in searches for key in search.chosen)
    rows = [
        [
            *(search.row, search.column),
            *(wording.value(trial.values.get(key, "")) for key in keys),
            wording.number(trial.dev, 2),
            "chosen" if trial.values == search.chosen else "",
        ]
        for search in searches
        for trial in search.trials
    ]
    return Frame.of(["row", "column", *keys, "dev", "which is"], rows)


def comparisons(grid: Grid) -> Frame:
    """Return every column's difference from the baseline, with its interval and p-values."""
    rows = [
        [
            row,
            column,
            wording.signed(found.difference, 2),
            wording.interval(found),
            wording.margin(found),
            wording.p_value(found.p),
            wording.p_value(entry.p) if entry.p is not None else "",
            str(found.seeds),
            f"{found.examples:,}",
            "" if entry.clusters is None else f"{entry.clusters:,}",
        ]
        for (row, column), entry in grid.entries.items()
        if (found := entry.against)
    ]
    head = ["row", f"against {grid.baseline}", "difference", f"{wording.CONFIDENCE} interval", "±"]
    return Frame.of([*head, "p", "p (Holm)", "seeds", "examples", "clusters"], rows)


def smallest(grid: Grid) -> Frame:
    """Return the smallest difference that each comparison finds, and what the paper's takes."""
    rows = [
        [
            found.row,
            found.column,
            wording.smallest(found.smallest),
            "" if found.paper is None else wording.signed(found.paper),
            wording.seeds_for_paper(found),
        ]
        for found in resolutions(grid)
    ]
    head = ["row", f"against {grid.baseline}", f"found with {100 * POWER:.0f} % power"]
    return Frame.of([*head, "the paper's difference", "seeds that it takes"], rows)


def all_tasks(grid: Grid) -> Frame:
    """Return every column's mean gain over all tasks, and its probability of improvement."""
    rows = [
        [
            found.column,
            wording.signed(found.gain.value, 2),
            wording.interval(found.gain),
            wording.improvement(found),
            str(found.gain.tasks),
            str(found.gain.seeds),
        ]
        for found in over_all_tasks(grid)
    ]
    head = [f"against {grid.baseline}", "mean gain", f"{wording.CONFIDENCE} interval"]
    return Frame.of([*head, "probability of improvement", "tasks", "seeds"], rows)


def reproduced(found: Sequence[Reproduction]) -> Frame:
    """Return what became of each choice of a reference that was run here, ours beside theirs."""
    rows = [
        [
            f"{each.group.first.task} on {each.group.data}",
            f"{each.group.first.result.encoder_name}, {each.group.label} {each.group.differs}",
            f"{each.split} {each.group.first.result.metric}",
            wording.seeds_of(len(each.ours), len(each.group.runs)),
            *(wording.number(fmean(scores), 2) for scores in (each.theirs, each.ours)),
            "" if each.difference is None else wording.signed(each.difference, 2),
            wording.interval(each.against) if each.against else "",
            each.verdict,
        ]
        for each in found
        if each.ours
    ]
    if other := len(found) - len(rows):
        rows.append([counted(other, "other choice"), *[""] * 7, "not run here"])
    head = ["task", "ELMo", "metric", "seeds", "reference", "here", "difference"]
    return Frame.of([*head, f"{wording.CONFIDENCE} interval", "which is"], rows)


def reached(grid: Grid) -> Frame:
    """Return how soon each system is as good as the baseline ever gets."""
    rows = [
        [
            found.row,
            found.column,
            wording.number(found.best),
            _effort(found.baseline),
            "never" if found.needed is None else _effort(found.needed),
            "" if found.saved is None else f"{100 * found.saved:.0f} %",
        ]
        for found in sample_efficiency.reached(grid)
    ]
    head = ["row", "system", "baseline's best, dev", "baseline's updates (epochs)"]
    return Frame.of([*head, "needs", "fewer"], rows)


def _effort(found: sample_efficiency.Effort) -> str:
    """Return updates, with epochs in brackets, as `1,200 (12)`."""
    updates = "?" if found.updates is None else f"{found.updates:,.0f}"
    return f"{updates} ({found.epochs:.3g})"


def selectivities(grid: Grid) -> Frame:
    """Return every probe's score beside the control task's, and its code length."""
    rows = [
        [
            *(found.row, found.column, _score(found.entry), _score(found.control)),
            wording.signed(found.selectivity.difference) if found.selectivity else "",
            wording.interval(found.selectivity) if found.selectivity else "",
            _code(found.code),
            _code(found.control_code),
        ]
        for found in probes(grid)
    ]
    head = ["row", "probe", "score", "control", "selectivity", f"{wording.CONFIDENCE} interval"]
    return Frame.of([*head, "code", "control's code"], rows)


def _score(entry: Entry | None) -> str:
    return wording.scores(entry.scores) if entry and entry.scores else ""


def _code(found: CodeLength | None) -> str:
    """Return `11.13 kbit (8.1 ×)`: the code length, and how far that is a compression."""
    if found is None:
        return ""
    return f"{wording.number(found.bits / 1000, 2)} kbit ({wording.number(found.compression)} ×)"


@dataclass(frozen=True)
class Block:
    """A table of all runs of one task on one data set."""

    title: str
    note: str  # the metric, and what trivial baselines score
    groups: list[Group]
    frame: Frame


def runs(groups: Sequence[Group], *, ids: bool = True) -> list[Block]:
    """Return all runs, seeds together, with their scores, time, size and, if wanted, run ids."""
    blocks = groupby(groups, lambda group: f"{task_name(group.first)} on {group.data}")
    found = [(wording.titled(name, each := list(these)), each) for name, these in blocks]
    return [Block(title, _yardsticks(each), each, _runs(each, ids)) for title, each in found]


def _yardsticks(groups: Sequence[Group]) -> str:
    """Return `accuracy; trivial baselines: majority class 33.4 dev, 33.0 test`: on most data."""
    group, texts = max(groups, key=lambda group: trained_on(group.first)), []
    found = {split: mean_yardsticks(group.runs, split) for split in group.first.result.metrics}
    for name in next(iter(found.values())):
        values = [(scores[name], split) for split, scores in found.items() if name in scores]
        each = ", ".join(f"{wording.number(value)} {split}" for value, split in values)
        texts.append(f"{name} {each}")
    metric = metric_name(group.first)
    return f"{metric}; trivial baselines: {'; '.join(texts)}" if texts else metric


def _runs(groups: Sequence[Group], ids: bool) -> Frame:
    rows = []
    for group in groups:
        dev, test = (group.scores(split) for split in ("dev", "test"))
        rows.append(
            [
                group.label,
                wording.scores(dev) if dev else "",
                wording.scores(test) if test else "",
                "" if group.first.result.ensemble else f"{group.epochs:.0f}",
                "" if group.steps is None else f"{group.steps:,.0f}",
                wording.duration(group.seconds),
                wording.count(group.parameters),
                group.first.result.encoder_name,
                group.differs,
                " ".join(run.id for run in group.runs) if ids else "",
            ]
        )
    head = ["ELMo", "dev", "test", "epochs", "steps", "time", "parameters", "encoder"]
    return Frame.of([*head, "differs in", "runs"], rows)


def weights(grid: Grid) -> Frame:
    """Return the mixes that an experiment's runs learned."""
    rows = [
        [row, column, *_mix(mix)]
        for (row, column), entry in grid.entries.items()
        for mix in mixes(entry.runs)
    ]
    return Frame.of(["row", "column", *_MIX], rows)


def costs(grid: Grid) -> Frame:
    """Return score, sizes and times side by side, where an experiment has several encoders.

    Of several runs, one encodes and the others read what it stored: the longest time counts.
    """
    if len({run.result.encoder_name for run in grid.runs} - {"none"}) < 2:
        return Frame([], [])
    rows = []
    for (row, column), entry in grid.entries.items():
        if entry.scores is None:
            continue
        group = Group(tuple(sorted(entry.runs, key=lambda run: run.seed)), "")
        encoding = [run.result.timing.get("features_s") for run in group.runs]
        longest = max(filter(None, encoding), default=None)
        encoder = group.first.result.encoder
        rows.append(
            [
                *(row, column, group.encoder_names, wording.scores(entry.scores)),
                wording.count(encoder.parameters) if encoder else "",
                f"{encoder.layers} × {encoder.dim}" if encoder and encoder.layers else "",
                wording.count(group.parameters),
                wording.duration(longest) if encoder and longest else "",
                wording.duration(group.seconds),
            ]
        )
    head = ["row", "column", "encoder", "score", "frozen parameters", "layers × dim"]
    return Frame.of([*head, "trained parameters", "features", "time in all"], rows)


def learned(groups: Sequence[Group]) -> Frame:
    """Return the mixes that all runs learned."""
    rows = [
        [
            *(group.first.task, group.first.result.encoder_name, f"{group.label} {group.differs}"),
            *_mix(mix),
        ]
        for group in groups
        for mix in mixes(group.runs)
    ]
    return Frame.of(["task", "encoder", "ELMo", *_MIX], rows)


_MIX = ("place", "s", "γ", "from uniform", "seeds")


def _mix(mix: MeanMix) -> list[str]:
    shares, away = " ".join(f"{s:.3f}" for s in mix.weights), f"{100 * mix.from_uniform:.1f} %"
    return [mix.place, shares, f"{mix.gamma:.3f}", away, str(mix.seeds)]
