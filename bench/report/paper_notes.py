"""What stands under a table about the paper's numbers in it."""

from __future__ import annotations

from collections.abc import Iterator

from bench.report.grid import Grid
from bench.report.read import Run


def of_paper(grid: Grid) -> Iterator[str]:
    """Yield in what the paper's numbers differ from these."""
    experiment = grid.experiment
    split = experiment.paper_split
    shown = {grid.split(row) for row in experiment.paper if row in experiment.rows}
    if split and shown - {split}:
        yield f"The paper's numbers are {split} scores."
    if experiment.paper and experiment.data != "paper":
        yield (
            f"The paper's numbers are on its own data: with data={experiment.data}, compare orders "
            "and differences rather than scores."
        )
    theirs = experiment.paper_encoders
    if experiment.paper and theirs and experiment.encoder not in theirs:
        yield f"The paper's numbers are of {' and '.join(theirs)}, these of {experiment.encoder}."
    runs = [run for row in experiment.paper for run in grid.runs_of(row)]
    classes = dict.fromkeys(str(run.choice["task"].get("_target_") or "") for run in runs)
    if own := [name for name in classes if name and not name.startswith("tasks.")]:
        yield f"The paper's numbers are of its own models and metrics, these of {', '.join(own)}."
    yield from _words(grid)


def _words(grid: Grid) -> Iterator[str]:
    """Name the rows whose heads learn their words from scratch, unlike the paper's.

    A cell without an encoder is where the head's own words are sure to be read.
    """
    scratch = [
        row
        for row in grid.experiment.paper
        if any(
            e.cells[0].placement == "none" and any(map(_learns_words, e.runs))
            for e in grid.row(row)
            if e and e.paper is not None
        )
    ]
    if scratch:
        yield (
            f"{', '.join(scratch)}: the head's words are learned from scratch (without "
            "word_vectors=…); the paper's begin with pretrained vectors."
        )


def _learns_words(run: Run) -> bool:
    return "word_dim" in run.choice["task"] and not run.choice.get("word_vectors")
