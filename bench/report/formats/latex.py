r"""report.tex: the tables with booktabs. \input it, or copy a table out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.report import frames, wording
from bench.report.frames import Frame
from bench.report.grid import Entry, Grid
from bench.report.mixes import EXPLAINED
from bench.report.report import Report

HEADER = r"""% Made by python -m bench.report. Needs \usepackage{booktabs,xcolor}; UTF-8.
"""
SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "±": r"$\pm$",
        "·": r"$\cdot$",
        "<": "$<$",
        ">": "$>$",
        "λ": r"$\lambda$",
        "γ": r"$\gamma$",
        "‖": r"$\|$",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)


def text(report: Report) -> str:
    parts = [HEADER]
    for grid in report.grids:
        label = grid.experiment.path.stem
        parts.append(_float(_caption(grid), label, _scores(grid)))
        for name, frame in frames.beside(grid).items():
            caption = escaped(f"{grid.experiment.title}: {name}.")
            parts += [_float(caption, f"{label}-{name.split()[0]}", _plain(frame))]
    if report.groups:
        for block in frames.runs(report.groups):
            caption = escaped(f"All runs, {block.title} ({block.note}).")
            parts.append(
                _float(caption, f"runs-{block.title.replace(' ', '-')}", _plain(block.frame))
            )
        mixed = frames.learned(report.groups)
        caption = f"Learned mixes. {escaped(EXPLAINED)}"
        parts += [_float(caption, "mixes", _plain(mixed))] if mixed.rows else []
    return "\n".join(parts)


def _caption(grid: Grid) -> str:
    experiment = grid.experiment
    about = ", ".join(wording.about(experiment))
    partly = any(entry.scores and entry.gaps for entry in grid.entries.values())
    dagger = r" $^\dagger$: not all seeds." if partly else ""
    return escaped(" ".join((f"{experiment.title} ({about}).", *wording.notes(grid)))) + dagger


def _scores(grid: Grid) -> str:
    """Ours, and the paper's beneath in grey."""
    columns, lines = grid.experiment.columns, []
    yardsticks = any(grid.yardsticks(row) for row in grid.experiment.rows)
    for row in grid.experiment.rows:
        cells = [escaped(wording.row(grid, row)), *map(_cell, grid.row(row))]
        lines.append(cells + [escaped(wording.yardsticks(grid.yardsticks(row)))] * yardsticks)
        if row in grid.experiment.paper:
            paper = [_grey("paper"), *(_paper(grid, row, column) for column in columns)]
            lines.append(paper + [""] * yardsticks)
    head = ["", *map(escaped, columns), *["needs no learning"] * yardsticks]
    return _tabular(head, lines, "l" + "c" * len(columns) + "l" * yardsticks)


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if entry.scores is None:
        return _grey(wording.gaps(entry))
    against = f" ({wording.difference(entry)})" if entry.against else ""
    return escaped(wording.scores(entry.scores) + against) + (r"$^\dagger$" if entry.gaps else "")


def _paper(grid: Grid, row: str, column: str) -> str:
    value = grid.experiment.paper[row].get(column)
    if value is None:
        return ""
    return _grey(wording.paper(value, grid.paper_difference(row, column)))


def _grey(words: str) -> str:
    return rf"\textcolor{{gray}}{{{escaped(words)}}}"


def _plain(frame: Frame) -> str:
    rows = [[*map(escaped, row)] for row in frame.rows]
    return _tabular([*map(escaped, frame.head)], rows, "l" * len(frame.head))


def _tabular(head: Sequence[str], rows: Sequence[Sequence[str]], layout: str) -> str:
    def lines() -> Iterator[str]:
        yield rf"\begin{{tabular}}{{{layout}}}"
        yield r"\toprule"
        yield " & ".join(head) + r" \\"
        yield r"\midrule"
        for row in rows:
            yield " & ".join(row) + r" \\"
        yield r"\bottomrule"
        yield r"\end{tabular}"

    return "\n".join(lines())


def _float(caption: str, label: str, tabular: str) -> str:
    return "\n".join(
        (
            r"\begin{table}",
            r"\centering\small",
            tabular,
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{label}}}",
            r"\end{table}",
            "",
        )
    )


def escaped(text: str) -> str:
    return " ".join(text.split()).translate(SPECIAL)
