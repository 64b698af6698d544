"""report.csv: one line a cell of an experiment, then one a choice of all runs; numbers in full."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from bench.report import frames
from bench.report.frames import ScoreRow
from bench.report.grid import Entry, Grid, Scores
from bench.report.groups import Group
from bench.report.report import Report

FIELDS = (
    "table", "row", "column", "x", "task", "data", "encoder", "split", "metric", "mean", "sd", "n",
    "seeds", "paper", "difference", "low", "high", "p", "p_holm", "difference_sd", "examples",
    "epochs", "seconds", "parameters", "missing", "runs", "command",
)  # fmt: skip


def text(report: Report) -> str:
    """Return the whole report."""
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
    writer.writeheader()
    for grid in report.grids:
        for row in frames.scores(grid).rows:
            writer.writerows(_cell(grid, row, c.column, c.entry) for c in row.cells if c.entry)
    for group in report.groups:
        writer.writerows(_group(group))
    return out.getvalue()


def _cell(grid: Grid, row: ScoreRow, column: str, entry: Entry) -> dict[str, Any]:
    experiment, against = grid.experiment, entry.against
    line: dict[str, Any] = {
        "table": experiment.id,
        "row": row.name,
        "column": column,
        "x": entry.cells[0].x,
        "task": entry.cells[0].task,
        "data": experiment.data,
        "encoder": experiment.encoder,
        "split": entry.split,
        "metric": grid.metric(row.name),
        "paper": entry.paper,
        "missing": "; ".join(f"seed {gap.cell.seed}: {gap.status}" for gap in entry.gaps),
        "runs": " ".join(f"{cell.task}/{cell.run_id}" for cell in entry.cells),
        "command": "; ".join(cell.command for cell in entry.cells),
        "seeds": " ".join(str(run.seed) for run in entry.runs),
        "p_holm": entry.p,
        **_numbers(entry.scores),
    }
    if against:
        line |= {key: getattr(against, key) for key in ("difference", "low", "high", "p")}
        line |= {"difference_sd": against.seed_sd, "examples": against.examples}
    return line


def _group(group: Group) -> Iterator[dict[str, Any]]:
    result = group.first.result
    for split in result.metrics:
        yield {
            "table": "all runs",
            "row": group.first.task,
            "column": f"{group.label} {group.differs}".strip(),
            "task": group.first.task,
            "data": group.data,
            "encoder": result.encoder_name,
            "split": split,
            "metric": result.metric,
            "epochs": group.epochs,
            "seconds": group.seconds,
            "parameters": group.parameters,
            "seeds": " ".join(str(run.seed) for run in group.runs),
            "runs": " ".join(f"{run.task}/{run.id}" for run in group.runs),
            "command": "; ".join(run.command for run in group.runs),
            **_numbers(group.scores(split)),
        }


def _numbers(scores: Scores | None) -> dict[str, Any]:
    if scores is None:
        return {}
    return {"mean": scores.mean, "sd": scores.sd, "n": len(scores.values)}
