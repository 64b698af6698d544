r"""report.tex: the tables with booktabs. \input it, or copy a table out of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bench.records import BETWEEN
from bench.report import frames, wording
from bench.report.frame import Frame
from bench.report.grid import Grid
from bench.report.mixes import EXPLAINED
from bench.report.notes import notes, signs
from bench.report.report import Report
from bench.report.score_table import ScoreCell, ScoreTable, scores

if TYPE_CHECKING:
    from bench.report.figures.style import Picture

DAGGER = r"$^\dagger$"
HEADER = r"""% By python -m bench.report. In the preamble:
% \usepackage{booktabs,graphicx,pifont,xcolor}
% \graphicspath{{FOLDER/}} % where a paper elsewhere says \input{FOLDER/report}
"""
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Begins what is made as narrow as the column, if it is wider."""
WITHIN = r"width=\linewidth,height=.8\textheight,keepaspectratio"
"""Of a figure: with its caption it fits a page."""
ROWS = 32
"""Of a plain table: more do not fit a page, and LaTeX does not split a float."""
FLOATS = 40
"""Between ends of pages: LaTeX holds 52 at most."""
MATHS = """
    α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi
    π pi ρ rho σ sigma τ tau φ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Π Pi
    Σ Sigma Φ Phi Ψ Psi Ω Omega ≤ leq ≥ geq ≠ neq ≈ approx ∞ infty → to × times ± pm · cdot
""".split()  # noqa: SIM905
"""What pdflatex does not know in text, each before its command."""
SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "☆": r"\ding{73}",
        "<": "$<$",
        ">": "$>$",
        "‖": r"$\|$",
        "|": "$|$",
        "…": r"\dots{}",
        **{sign: rf"$\{name}$" for sign, name in zip(MATHS[::2], MATHS[1::2], strict=True)},
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)


def text(report: Report, pictures: Sequence[Picture] = ()) -> str:
    """Return the whole report; its pictures are files in figures/, beside it."""
    return "\n".join([HEADER, *_cleared(_parts(report, pictures))])


def _parts(report: Report, pictures: Sequence[Picture]) -> Iterator[str]:
    for grid in report.grids:
        label, table = grid.experiment.id, scores(grid)
        yield _comments(notes(grid))
        yield _float(_caption(grid, table), label, _scores(table))
        for name, frame in frames.beside(grid).items():
            caption = escaped(f"{grid.experiment.title}: {name}.")
            yield from _floats(caption, f"{label}-{name.split()[0]}", frame)
        yield from map(_figure, (p for p in pictures if p.section == label))
    if report.groups:
        for block in frames.runs(report.groups):
            caption = escaped(f"All runs, {block.title} ({block.note}).")
            label = re.sub(r"[\W_]+", "-", f"runs-{block.title}")
            yield from _floats(caption, label, block.frame)
        mixed = frames.learned(report.groups)
        caption = f"Learned mixes. {escaped(EXPLAINED)}"
        yield from _floats(caption, "mixes", mixed)
        yield from map(_figure, (p for p in pictures if p.section == "runs"))


def _cleared(parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts, and the end of a page before LaTeX holds more floats than it can."""
    floats = 0
    for part in parts:
        if floats == FLOATS:
            yield "\\clearpage\n"
            floats = 0
        yield part
        floats += part.startswith(r"\begin{")


def _caption(grid: Grid, table: ScoreTable) -> str:
    experiment = grid.experiment
    about = ", ".join(wording.about(grid))
    dagger = f" {DAGGER}: not all seeds." if table.partly else ""
    seeds = [f"n = {table.same_n}."] if table.same_n > 1 else []
    tasks = ((row.title.partition(BETWEEN)[0], row.yardsticks) for row in table.rows)
    trivial = dict.fromkeys(f"{task}: {figures}." for task, figures in tasks if figures)
    learned = [f"Trivial baselines: {' '.join(trivial)}"] if trivial else []
    said = (f"{experiment.title} ({about}).", *seeds, *signs(grid), *learned)
    return escaped(" ".join(said)) + dagger


def _comments(said: Iterable[str]) -> str:
    """Set what the author must know, and a caption has no room for."""
    return "\n".join(f"% {escaped(each)}" for each in said)


def _scores(table: ScoreTable) -> str:
    """Set a score table: ours, the best of a row in bold, and the paper's beneath in grey."""
    lines = []
    for row in table.rows:
        lines.append([escaped(row.label), *(_cell(cell, table.same_n) for cell in row.cells)])
        if row.paper:
            lines.append([_grey("paper"), *(_grey(cell.paper) for cell in row.cells)])
    head = ["", *map(escaped, table.columns)]
    return _tabular(head, lines, "l" + "c" * len(table.columns))


def _cell(cell: ScoreCell, same_n: int) -> str:
    """Set a score; the number of its seeds is left to the caption where all have as many."""
    if not cell.ours:
        return _grey(cell.gaps)
    ours = escaped(cell.ours.removesuffix(f" (n={same_n})"))
    ours = rf"\textbf{{{ours}}}" if cell.best else ours
    against = f" ({escaped(cell.against)})" if cell.against else ""
    return ours + against + (DAGGER if cell.gaps else "")


def _grey(words: str) -> str:
    return words and rf"\textcolor{{gray}}{{{escaped(words)}}}"


def _floats(caption: str, label: str, frame: Frame) -> Iterator[str]:
    """Set a plain table, a long one as several; without rows it is none."""
    head = [*map(escaped, frame.head)]
    for first in range(0, len(frame.rows), ROWS):
        rows = [[*map(escaped, row)] for row in frame.rows[first : first + ROWS]]
        tabular = _tabular(head, rows, "l" * len(head))
        if first:
            yield _float(f"{caption} (Continued.)", f"{label}-{first // ROWS + 1}", tabular)
        else:
            yield _float(caption, label, tabular)


def _tabular(head: Sequence[str], rows: Sequence[Sequence[str]], layout: str) -> str:
    def lines() -> Iterator[str]:
        yield rf"\begin{{tabular}}{{{layout}}}"
        yield r"\toprule"
        yield " & ".join(head) + r" \\"
        yield r"\midrule"
        for row in rows:
            guard = "{}" if row[0].startswith(("[", "*")) else ""  # \\[…] and \\* have a meaning
            yield guard + " & ".join(row) + r" \\"
        yield r"\bottomrule"
        yield r"\end{tabular}"

    return "\n".join(lines())


def _float(caption: str, label: str, tabular: str) -> str:
    return "\n".join(
        (
            r"\begin{table}",
            r"\centering\small",
            FITTED,
            tabular + "}",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{re.sub(r'[^A-Za-z0-9.:+-]+', '-', label)}}}",
            r"\end{table}",
            "",
        )
    )


def _figure(picture: Picture) -> str:
    return "\n".join(
        (
            r"\begin{figure}",
            r"\centering",
            rf"\includegraphics[{WITHIN}]{{figures/{picture.name}.pdf}}",
            rf"\caption{{{escaped(picture.caption)}}}",
            rf"\label{{fig:{picture.name}}}",
            r"\end{figure}",
            "",
        )
    )


def escaped(text: str) -> str:
    """Return the text as LaTeX sets it for what it is."""
    return " ".join(text.split()).translate(SPECIAL)
