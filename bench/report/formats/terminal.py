"""An experiment's table on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.experiment import View
from bench.report import frames
from bench.report.frame import Frame
from bench.report.grid import Grid, fill
from bench.report.notes import notes
from bench.report.read import read, read_experiment
from bench.report.reproduction import Reproduction
from bench.report.score_table import ScoreCell, scores

COLOURS = {"up": "green", "down": "red"}


def show(manifest: Path, console: Console, trusted: Sequence[str] = ()) -> None:
    """Print the scores of the experiment whose file is `manifest`.

    Raises DamagedRecord where that file cannot be read.
    """
    experiment = read_experiment(manifest)
    grid = fill(experiment, read(manifest.parent.parent, trusted))
    upright = table(grid)
    console.print(upright if _fits(upright, console) else table(grid, turned=True))
    if (together := frames.all_tasks(grid)).rows:
        console.print(_plain(together, title="Over all tasks"))
    if (probed := frames.selectivities(grid)).rows:
        console.print(_plain(probed, title="Probes"))
    if experiment.view is View.weights and (mixed := frames.weights(grid)).rows:
        console.print(_plain(mixed, title="Learned mixes"))
    for note in notes(grid):
        console.print(Text(note, style="dim"))


def reproduced(found: Sequence[Reproduction]) -> None:
    """Print what became of each choice of a reference; nothing where there is no reference."""
    if found:
        Console().print(_plain(frames.reproduced(found), title="Against the reference"))


def table(grid: Grid, *, turned: bool = False) -> Table:
    """Set the score table: ours, the difference from the baseline, the gaps, the paper's.

    Turned, what is compared stands in lines instead of columns.
    """
    experiment, ours = grid.experiment, scores(grid)
    source = f" ({experiment.source})" if experiment.source else ""
    found = Table("", title=Text(experiment.title + source))
    tasks = [Text.assemble(row.title, (f"\n{row.metric}", "dim")) for row in ours.rows]
    compared = [Text(column) for column in ours.columns]
    cells = [[_cell(cell) for cell in row.cells] for row in ours.rows]
    across, down, lines = (
        (tasks, compared, zip(*cells, strict=True)) if turned else (compared, tasks, cells)
    )
    for name in across:
        found.add_column(name)
    for name, line in zip(down, lines, strict=True):
        found.add_row(name, *line, end_section=True)
    return found


def _fits(found: Table, console: Console) -> bool:
    """Tell whether no word is cut: Rich ends what it cuts with an ellipsis."""
    lines = console.render_lines(found)
    return not any("…" in segment.text for line in lines for segment in line)


def _plain(frame: Frame, title: str) -> Table:
    found = Table(title=title, box=None)  # of many columns, lines take too much room
    for name in frame.head:
        found.add_column(Text(name))
    for row in frame.rows:
        found.add_row(*map(Text, row))
    return found


def _cell(cell: ScoreCell) -> Text:
    """Return a cell of up to four lines."""
    lines = (
        (cell.ours, "bold"),
        (cell.against, COLOURS.get(cell.direction, "")),
        (cell.gaps, "yellow"),
        (cell.paper and f"paper {cell.paper}", "dim"),
    )
    return Text("\n").join(Text(words, style=style) for words, style in lines if words)
