"""An experiment's table on the terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.report import wording
from bench.report.grid import Entry, Grid, fill
from bench.report.records import read, read_experiment


def show(manifest: Path, console: Console | None = None) -> None:
    """Print the experiment of a manifest: ours, the difference from the baseline, its significance,
    and the paper's. Raises ReportError for a file that is damaged."""
    experiment = read_experiment(manifest)
    grid = fill(experiment, read(manifest.parent.parent))
    console = console or Console()
    console.print(table(grid))
    for note in wording.notes(grid):
        console.print(Text(note, style="dim"))


def table(grid: Grid) -> Table:
    experiment = grid.experiment
    source = f" ({experiment.source})" if experiment.source else ""
    found = Table(title=Text(experiment.title + source))
    found.add_column("")
    for column in experiment.columns:
        found.add_column(Text(column))
    for row in experiment.rows:
        label = Text.assemble(row, (f"\n{grid.split(row)} {grid.metric(row)}", "dim"))
        cells = (_cell(grid, row, column) for column in experiment.columns)
        found.add_row(label, *cells, end_section=True)
    return found


def _cell(grid: Grid, row: str, column: str) -> Text:
    """Up to four lines: score, difference, what lacks, the paper's."""
    entry = grid.entries.get((row, column))
    if entry is None:
        return Text()
    lines = [*_ours(entry)]
    if entry.paper is not None:
        paper = wording.paper(entry.paper, grid.paper_difference(row, column))
        lines.append(Text(f"paper {paper}", style="dim"))
    return Text("\n").join(lines)


def _ours(entry: Entry) -> list[Text]:
    lines = []
    if entry.scores:
        lines.append(Text(wording.scores(entry.scores), style="bold"))
    if entry.against:
        better = "green" if entry.against.difference > 0 else "red"
        lines.append(Text(wording.difference(entry), style=better if entry.mark else ""))
    if entry.gaps:
        lines.append(Text(wording.gaps(entry), style="yellow"))
    return lines
