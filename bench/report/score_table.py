"""The scores of an experiment, in words: formats/ only set them in their language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.report import wording
from bench.report.grid import Entry, Grid


@dataclass(frozen=True)
class ScoreCell:
    """One cell of a score table; a word is empty where there is nothing to say."""

    column: str
    entry: Entry | None = None  # what it shows, in full numbers; None where no run is asked for
    score: str = ""  # the mean over the seeds: 72.5
    sd: str = ""  # their standard deviation: 1.0; empty for a single seed
    n: int = 0  # how many there are
    ours: str = ""  # the three together: 72.5 ± 1.0 (n=3)
    best: bool = False  # whether no other mean of the row is higher, as rounded
    difference: str = ""  # from the baseline: +14.3
    mark: str = ""  # its significance: ** or *, hollow for one seed: ☆☆ or ☆
    direction: str = ""  # up or down where it is significant, else none
    gaps: str = ""  # which runs have no score: 1 failed of 3 seeds
    paper: str = ""  # the paper's score and its own difference: 89.1 (+1.0)

    @property
    def against(self) -> str:
        """The difference with its mark, as `+14.3**`."""
        return self.difference + self.mark


@dataclass(frozen=True)
class ScoreRow:
    """One row of a score table."""

    name: str  # its key
    title: str  # what papers call it
    metric: str  # which is shown, and of which split: dev accuracy
    cells: list[ScoreCell]
    yardsticks: str  # what needs no learning: majority class 33.4
    paper: bool  # whether the paper has this row

    @property
    def label(self) -> str:
        """The row's title in one line, as `SNLI (dev accuracy)`."""
        return f"{self.title} ({self.metric})"


@dataclass(frozen=True)
class ScoreTable:
    """The scores of an experiment, ours and the paper's."""

    columns: Sequence[str]
    rows: list[ScoreRow]

    @property
    def yardsticks(self) -> bool:
        """Whether some row says what needs no learning."""
        return any(row.yardsticks for row in self.rows)

    @property
    def same_n(self) -> int:
        """How many seeds every score stands for; 0 where they differ."""
        found = {cell.n for row in self.rows for cell in row.cells if cell.score}
        return found.pop() if len(found) == 1 else 0

    @property
    def partly(self) -> bool:
        """Whether a score stands for fewer seeds than were asked for."""
        return any(cell.score and cell.gaps for row in self.rows for cell in row.cells)


def scores(grid: Grid) -> ScoreTable:
    """Return the table of an experiment's scores, each beside the paper's."""
    experiment = grid.experiment
    return ScoreTable(experiment.columns, [_score_row(grid, row) for row in experiment.rows])


def _score_row(grid: Grid, row: str) -> ScoreRow:
    means = [entry.scores.mean for entry in grid.row(row) if entry and entry.scores]
    best = wording.number(max(means)) if len(means) > 1 and grid.of_one_kind(row) else ""
    return ScoreRow(
        name=row,
        title=grid.title(row),
        metric=grid.scored_by(row),
        cells=[_score_cell(grid, row, column, best) for column in grid.experiment.columns],
        yardsticks=wording.yardsticks(grid.yardsticks(row)),
        paper=row in grid.experiment.paper,
    )


def _score_cell(grid: Grid, row: str, column: str, best: str) -> ScoreCell:
    words: dict[str, str] = {}
    if (paper := grid.experiment.paper.get(row, {}).get(column)) is not None:
        words["paper"] = wording.paper(paper, grid.paper_difference(row, column))
    entry = grid.entries.get((row, column))
    if entry is None:
        return ScoreCell(column, **words)  # type: ignore[arg-type]
    words["gaps"] = wording.gaps(entry)
    if entry.scores:
        words |= {"score": wording.number(entry.scores.mean), "ours": wording.scores(entry.scores)}
        words["sd"] = "" if entry.scores.sd is None else wording.number(entry.scores.sd)
    if entry.against:
        difference = entry.against.difference
        words |= {"difference": wording.signed(difference), "mark": entry.mark}
        words["direction"] = ("up" if difference > 0 else "down") if entry.mark else "none"
    n = len(entry.scores.values) if entry.scores else 0
    is_best = bool(best) and words.get("score") == best
    return ScoreCell(column, entry, n=n, best=is_best, **words)
