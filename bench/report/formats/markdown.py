"""report.md: the tables in GitHub's Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bench.console import counted
from bench.report import frames, wording
from bench.report.frame import Frame
from bench.report.grid import Grid
from bench.report.mixes import EXPLAINED
from bench.report.notes import REPRODUCED, REPRODUCTION, notes
from bench.report.report import Report
from bench.report.score_table import ScoreCell, ScoreTable, scores

if TYPE_CHECKING:
    from bench.report.figures.style import Picture


def text(report: Report, pictures: Sequence[Picture]) -> str:
    """Return the whole report; its pictures are linked as files in figures/."""
    parts = [f"# Report on {_escaped(str(report.records.folder))}"]
    if report.reproductions:
        found = table(frames.reproduced(report.reproductions))
        parts += [f"## {REPRODUCTION}", found, _escaped(REPRODUCED)]
    for grid in report.grids:
        parts += _experiment(grid, [p for p in pictures if p.section == grid.experiment.id])
    if report.groups:
        parts.append("## All runs")
        for block in frames.runs(report.groups):
            parts += [f"### {_escaped(block.title)}", _escaped(block.note), table(block.frame)]
        parts += [figure(picture) for picture in pictures if picture.section == "runs"]
        mixed = frames.learned(report.groups)
        parts += ["## Learned mixes", table(mixed), EXPLAINED] if mixed.rows else []
    lines = [f"- {_escaped(line)}" for line in report.left_out]
    parts += ["## Not in the tables", "\n".join(lines)] if lines else []
    return "\n\n".join(filter(None, parts)) + "\n"


def _experiment(grid: Grid, pictures: Sequence[Picture]) -> Iterator[str]:
    yield f"## {_escaped(grid.experiment.title)}"
    yield _escaped(" · ".join(wording.about(grid)))
    named = frames.beside(grid)
    for name, text in parts(grid, pictures).items():
        if name in named:
            yield _escaped(f"{name[:1].upper()}{name[1:]}:")
        yield text
    if grid.gaps:
        yield "Missing results, and the commands that compute them:"
        yield "\n".join(
            f"- {_escaped(gap.cell.row)}, {_escaped(gap.cell.column)}, seed {gap.cell.seed}: "
            f"{gap.status}"
            f"{f' ({_escaped(gap.reason)})' if gap.reason else ''}: `{gap.cell.command}`"
            for gap in grid.gaps
        )


def parts(grid: Grid, pictures: Sequence[Picture]) -> dict[str, str]:
    """Return what there is about an experiment, by name: its scores, and what stands beside."""
    return {
        "command": f"```\n{grid.experiment.command}\n```",
        "scores": score_table(scores(grid)),
        "notes": "\n".join(f"- {_escaped(note)}" for note in notes(grid)),
        **{name: table(frame) for name, frame in frames.beside(grid).items()},
        "figures": "\n\n".join(map(figure, pictures)),
    }


def score_table(table: ScoreTable) -> str:
    """Set a score table: ours, and the paper's beneath in italics."""
    rows = []
    for row in table.rows:
        cells = (_cell(cell, each_n=not table.same_n) for cell in row.cells)
        rows.append([_escaped(row.label), *cells, _escaped(row.yardsticks)])
        if row.paper:
            rows.append(["*paper*", *(_italic(cell.paper) for cell in row.cells), ""])
    seeds = counted(table.same_n, "seed") if table.same_n else " "
    head = [seeds, *map(_escaped, table.columns), "trivial baselines"]
    return _lines(Frame.of(head, rows))


def _cell(cell: ScoreCell, each_n: bool) -> str:
    """Return `**45.7 ± 1.0** (+16.9\\*\\* [+13.6, +20.2])`."""
    ours = cell.ours if each_n or not cell.sd else f"{cell.score} ± {cell.sd}"
    ours = f"**{ours}**" if cell.best else ours
    against = ""
    if cell.entry and cell.entry.against:
        against = f"({_escaped(cell.against)} {wording.interval(cell.entry.against, 1)})"
    return " ".join(filter(None, (ours, against, _italic(cell.gaps))))


def _italic(words: str) -> str:
    return words and f"*{words}*"


def figure(picture: Picture) -> str:
    """Set a figure, a file in figures/, and its caption."""
    shown = f"![{_escaped(picture.alt)}](figures/{picture.name}.png)"
    return f"{shown}\n\n*{_escaped(picture.caption)}*"


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
