"""report.md: the tables in GitHub's Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bench.report import frames, wording
from bench.report.frames import Frame
from bench.report.grid import Grid
from bench.report.mixes import EXPLAINED
from bench.report.notes import REPRODUCED, REPRODUCTION, notes
from bench.report.report import Report
from bench.report.score_table import ScoreCell, ScoreTable, scores

if TYPE_CHECKING:
    from bench.report.figures.style import Picture


def text(report: Report, pictures: Sequence[Picture]) -> str:
    """Return the whole report; its pictures are linked as files in figures/."""
    parts = [f"# Report on {report.records.folder}"]
    if report.reproductions:
        found = table(frames.reproduced(report.reproductions))
        parts += [f"## {REPRODUCTION}", found, _escaped(REPRODUCED)]
    for grid in report.grids:
        parts += _experiment(grid, [p for p in pictures if p.section == grid.experiment.id])
    if report.groups:
        parts.append("## All runs")
        for block in frames.runs(report.groups):
            parts += [f"### {_escaped(block.title)}", _escaped(block.note), table(block.frame)]
        parts += _pictures([p for p in pictures if p.section == "runs"])
        mixed = frames.learned(report.groups)
        parts += ["## Learned mixes", table(mixed), EXPLAINED] if mixed.rows else []
    lines = [f"- {line}" for line in report.left_out]
    parts += ["## Not in the tables", "\n".join(lines)] if lines else []
    return "\n\n".join(filter(None, parts)) + "\n"


def _experiment(grid: Grid, pictures: Sequence[Picture]) -> Iterator[str]:
    experiment = grid.experiment
    yield f"## {experiment.title}"
    yield " · ".join(wording.about(experiment))
    yield f"```\n{experiment.command}\n```"
    yield score_table(scores(grid))
    yield "\n".join(f"- {_escaped(note)}" for note in notes(grid))
    for name, frame in frames.beside(grid).items():
        yield f"{name.capitalize()}:"
        yield table(frame)
    yield from _pictures(pictures)
    if grid.gaps:
        yield "What is not there, and the command that makes it:"
        yield "\n".join(
            f"- {gap.cell.row}, {gap.cell.column}, seed {gap.cell.seed}: {gap.status}"
            f"{f' ({_escaped(gap.reason)})' if gap.reason else ''}: `{gap.cell.command}`"
            for gap in grid.gaps
        )


def score_table(table: ScoreTable) -> str:
    """Set a score table: ours, and the paper's beneath in italics."""
    rows = []
    for row in table.rows:
        rows.append([row.label, *map(_cell, row.cells), row.yardsticks])
        if row.paper:
            rows.append(["*paper*", *(_italic(cell.paper) for cell in row.cells), ""])
    head = [" ", *map(_escaped, table.columns), "needs no learning"]
    return _lines(Frame.of(head, rows))


def _cell(cell: ScoreCell) -> str:
    ours = cell.ours and f"**{cell.ours}**"
    against = cell.ours and cell.against and _escaped(f"({cell.against})")
    return " ".join(filter(None, (ours, against, _italic(cell.gaps))))


def _italic(words: str) -> str:
    return words and f"*{words}*"


def _pictures(pictures: Sequence[Picture]) -> Iterator[str]:
    for picture in pictures:
        yield f"![{_escaped(picture.alt)}](figures/{picture.name}.png)"
        yield f"*{_escaped(picture.caption)}*"


def table(frame: Frame) -> str:
    """Set a plain table."""
    return _lines(
        Frame([*map(_escaped, frame.head)], [[*map(_escaped, row)] for row in frame.rows])
    )


def _lines(frame: Frame) -> str:
    lines = [frame.head, ["---"] * len(frame.head), *frame.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """Return the text as it will read: no emphasis, no tags, no new cells."""
    return " ".join(re.sub(r"[\\|*_]|<(?=[\w/!?])", r"\\\g<0>", text).split())
