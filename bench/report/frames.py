"""The plain tables, as text: markdown.py, latex.py and html.py only set them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from bench.report import sample_efficiency, wording
from bench.report.grid import Grid
from bench.report.groups import Group
from bench.report.mixes import Mix, mixes
from bench.report.report import Report


@dataclass(frozen=True)
class Frame:
    head: list[str]
    rows: list[list[str]]

    @classmethod
    def of(cls, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Frame:
        """Without the columns that are empty in every row."""
        kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
        return cls([head[i] for i in kept], [[row[i] for i in kept] for row in rows])


def beside(grid: Grid) -> dict[str, Frame]:
    """What belongs to an experiment's scores, by name; only what there is."""
    found = {
        f"differences from {grid.baseline}": comparisons(grid),
        "updates to reach the best score of no ELMo on the same data": reached(grid),
        "learned mixes": weights(grid),
        "what each encoder costs": costs(grid),
    }
    return {name: frame for name, frame in found.items() if frame.rows}


def comparisons(grid: Grid) -> Frame:
    """Every column against the baseline."""
    rows = [
        [
            row,
            column,
            wording.signed(found.difference, 2),
            f"[{wording.signed(found.low, 2)}, {wording.signed(found.high, 2)}]",
            wording.p_value(found.p),
            wording.p_value(entry.p) if entry.p is not None else "",
            "" if found.seed_sd is None else wording.number(found.seed_sd, 2),
            str(found.seeds),
            f"{found.examples:,}",
        ]
        for (row, column), entry in grid.entries.items()
        if (found := entry.against)
    ]
    head = ["row", f"against {grid.baseline}", "difference", f"{wording.CONFIDENCE} interval", "p"]
    return Frame.of([*head, "p (Holm)", "sd over seeds", "seeds", "examples"], rows)


def reached(grid: Grid) -> Frame:
    """How soon each system is as good as the baseline ever gets."""
    rows = [
        [
            found.row,
            found.column,
            wording.number(found.best),
            wording.updates(found.baseline_epochs, found.updates_an_epoch),
            wording.updates(found.epochs, found.updates_an_epoch),
            "" if found.saved is None else f"{100 * found.saved:.0f} %",
        ]
        for found in sample_efficiency.reached(grid)
    ]
    head = ["row", "system", "baseline's best, dev", "baseline's updates (epochs)"]
    return Frame.of([*head, "needs", "fewer"], rows)


@dataclass(frozen=True)
class Block:
    """The runs of one task on one data."""

    title: str
    note: str  # what needs no learning
    groups: list[Group]
    frame: Frame


def runs(groups: Sequence[Group]) -> list[Block]:
    """All runs, seeds together: scores, time and size."""
    return [
        Block(title, _yardsticks(found[0]), found, _runs(found))
        for title, each in groupby(groups, lambda g: f"{g.first.task} on {g.first.data}")
        if (found := list(each))
    ]


def _yardsticks(group: Group) -> str:
    """`accuracy; needs no learning: majority class 33.4 dev, 33.0 test`."""
    run, texts = group.first, []
    splits = list(run.result["metrics"])
    for name in run.yardsticks(splits[0]):
        values = [(run.yardsticks(split)[name], split) for split in splits]
        scores = ", ".join(f"{wording.number(value)} {split}" for value, split in values)
        texts.append(f"{name} {scores}")
    return f"{run.metric}; needs no learning: {'; '.join(texts)}" if texts else run.metric


def _runs(groups: Sequence[Group]) -> Frame:
    rows = []
    for group in groups:
        dev, test = (group.scores(split) for split in ("dev", "test"))
        rows.append(
            [
                group.label,
                wording.scores(dev) if dev else "",
                wording.scores(test) if test else "",
                "" if group.first.ensemble else f"{group.epochs:.0f}",
                wording.duration(group.seconds),
                wording.count(group.parameters),
                group.first.encoder,
                group.differs,
            ]
        )
    head = ["ELMo", "dev", "test", "epochs", "time", "parameters", "encoder", "differs in"]
    return Frame.of(head, rows)


def weights(grid: Grid) -> Frame:
    """The mixes that an experiment's runs learned."""
    rows = [
        [row, column, *_mix(mix)]
        for (row, column), entry in grid.entries.items()
        for mix in mixes(entry.runs)
    ]
    return Frame.of(["row", "column", *_MIX], rows)


def costs(grid: Grid) -> Frame:
    """Score, sizes and times side by side, where an experiment has several encoders."""
    if len({run.encoder for run in grid.runs} - {"none"}) < 2:
        return Frame([], [])
    rows = []
    for (row, column), entry in grid.entries.items():
        if entry.scores is None:
            continue
        group = Group(entry.runs, "")
        encoder = group.first.result.get("encoder") or {}
        features = group.first.result.get("timing", {}).get("features_s", 0)
        rows.append(
            [
                *(row, column, group.first.encoder, wording.scores(entry.scores)),
                wording.count(encoder.get("parameters")),
                f"{encoder['layers']} × {encoder['dim']}" if encoder else "",
                wording.count(group.parameters),
                wording.duration(features) if encoder else "",
                wording.duration(group.seconds),
            ]
        )
    head = ["row", "column", "encoder", "score", "frozen parameters", "layers × dim"]
    return Frame.of([*head, "trained parameters", "features", "time in all"], rows)


def learned(groups: Sequence[Group]) -> Frame:
    """The mixes that all runs learned."""
    rows = [
        [group.first.task, group.first.encoder, f"{group.label} {group.differs}", *_mix(mix)]
        for group in groups
        for mix in mixes(group.runs)
    ]
    return Frame.of(["task", "encoder", "ELMo", *_MIX], rows)


_MIX = ("place", "s", "γ", "from uniform", "seeds")


def _mix(mix: Mix) -> list[str]:
    shares = " ".join(f"{share:.3f}" for share in mix.weights)
    away = f"{100 * mix.from_uniform:.1f} %"
    return [mix.place, shares, f"{mix.gamma:.3f}", away, str(mix.seeds)]


def left_out(report: Report) -> list[str]:
    """Why a run or an experiment is in no table."""
    failed = [run for run in report.records.runs.values() if not run.finished]
    return [
        *report.records.problems,
        *(f"{run.task}/{run.id} failed: {run.result.get('error', '')}" for run in failed),
        *(f"{task}/{run} is unfinished" for task, run in sorted(report.records.unfinished)),
    ]
