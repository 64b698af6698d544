r"""report.tex: the tables with booktabs. \input it, or copy a table out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.report import frames, wording
from bench.report.frames import Frame
from bench.report.grid import Grid
from bench.report.mixes import EXPLAINED
from bench.report.notes import notes
from bench.report.report import Report
from bench.report.score_table import ScoreCell, ScoreTable, scores

DAGGER = r"$^\dagger$"
HEADER = r"""% Made by python -m bench.report. Needs \usepackage{booktabs,pifont,xcolor}; UTF-8.
"""
SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "±": r"$\pm$",
        "☆": r"\ding{73}",
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
    """Return the whole report."""
    parts = [HEADER]
    for grid in report.grids:
        label, table = grid.experiment.id, scores(grid)
        parts.append(_float(_caption(grid, table), label, _scores(table)))
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


def _caption(grid: Grid, table: ScoreTable) -> str:
    experiment = grid.experiment
    about = ", ".join(wording.about(experiment))
    dagger = f" {DAGGER}: not all seeds." if table.partly else ""
    return escaped(" ".join((f"{experiment.title} ({about}).", *notes(grid)))) + dagger


def _scores(table: ScoreTable) -> str:
    """Set a score table: ours, and the paper's beneath in grey."""
    lines, yardsticks = [], table.yardsticks
    for row in table.rows:
        cells = [escaped(row.label), *map(_cell, row.cells)]
        lines.append(cells + [escaped(row.yardsticks)] * yardsticks)
        if row.paper:
            paper = [_grey("paper"), *(_grey(cell.paper) for cell in row.cells)]
            lines.append(paper + [""] * yardsticks)
    head = ["", *map(escaped, table.columns), *["needs no learning"] * yardsticks]
    return _tabular(head, lines, "l" + "c" * len(table.columns) + "l" * yardsticks)


def _cell(cell: ScoreCell) -> str:
    if not cell.ours:
        return _grey(cell.gaps)
    against = f" ({cell.against})" if cell.against else ""
    return escaped(cell.ours + against) + (DAGGER if cell.gaps else "")


def _grey(words: str) -> str:
    return words and rf"\textcolor{{gray}}{{{escaped(words)}}}"


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
    """Return the text as LaTeX sets it for what it is."""
    return " ".join(text.split()).translate(SPECIAL)
