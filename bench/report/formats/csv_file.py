"""report.csv: one line a cell of an experiment, then one a choice and metric of all runs; numbers
in full."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from bench.experiment import View
from bench.records import Finished, noisy_parts
from bench.report.all_tasks import AllTasks, over_all_tasks
from bench.report.grid import Entry, Grid, Scores
from bench.report.groups import Group
from bench.report.read import Experiment
from bench.report.report import Report
from bench.report.resolution import Resolution, resolutions
from bench.report.score_table import ScoreRow, scores

FIELDS = (
    "table", "row", "column", "x", "task", "data", "encoder", "split", "metric", "mean", "sd", "n",
    "seeds", "paper", "difference", "low", "high", "from_seeds", "from_examples", "p", "p_holm",
    "difference_sd", "examples", "clusters", "smallest", "paper_difference", "seeds_for_paper",
    "improvement", "trials", "chosen", "epochs", "steps", "seconds", "parameters", "missing",
    "runs", "command",
)  # fmt: skip
COMPARED = ("difference", "low", "high", "from_seeds", "from_examples", "p", "examples")
"""What a line has of a comparison under the name that it has there."""


def text(report: Report) -> str:
    """Return the whole report."""
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
    writer.writeheader()
    for grid in report.grids:
        seen = {(found.row, found.column): found for found in resolutions(grid)}
        for row in scores(grid).rows:
            cells = [(cell.column, cell.entry) for cell in row.cells if cell.entry]
            writer.writerows(
                _cell(grid, row, column, entry) | _seen(seen.get((row.name, column)))
                for column, entry in cells
            )
        writer.writerows(_all_tasks(grid, found) for found in over_all_tasks(grid))
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
        "encoder": Group(entry.runs, "").encoder_names or experiment.encoder,
        "split": entry.split,
        "metric": next((run.result.metric for run in entry.runs), grid.metric(row.name)),
        "paper": entry.paper,
        "missing": "; ".join(f"seed {gap.cell.seed}: {gap.status}" for gap in entry.gaps),
        "runs": " ".join(f"{cell.task}/{cell.run_id}" for cell in entry.cells),
        "command": "; ".join(cell.command for cell in entry.cells),
        "seeds": " ".join(str(run.seed) for run in entry.runs),
        "p_holm": entry.p,
        **_searched(experiment, row.name, column),
        **_numbers(entry.scores),
    }
    if against:
        line |= {key: getattr(against, key) for key in COMPARED}
        line |= {"difference_sd": against.seed_sd}
        line |= {"clusters": entry.clusters}
        line |= {"from_seeds": None} if against.one_seed else {}
    return line


def _searched(experiment: Experiment, row: str, column: str) -> dict[str, Any]:
    """Return how many values were tried on dev for a cell, and which its runs have."""
    place = noisy_parts(row)[:2] if experiment.view is View.noise else (row, column)
    for search in experiment.searches:
        if search.place == place:
            values = " ".join(f"{key}={value}" for key, value in search.chosen.items())
            return {"trials": len(search.trials), "chosen": values}
    return {}


def _seen(found: Resolution | None) -> dict[str, Any]:
    """Return what a comparison can see."""
    if found is None:
        return {}
    facts = {"smallest": found.smallest, "paper_difference": found.paper}
    return {**facts, "seeds_for_paper": found.seeds}


def _all_tasks(grid: Grid, found: AllTasks) -> dict[str, Any]:
    """Return a column's mean gain as a line of its own, in the row "all tasks"."""
    gain, experiment = found.gain, grid.experiment
    return {
        "table": experiment.id,
        "row": "all tasks",
        "column": found.column,
        "data": experiment.data,
        "encoder": experiment.encoder,
        "difference": gain.value,
        **{key: getattr(gain, key) for key in ("low", "high", "p")},
        "improvement": found.improvement.value,
    }


def _group(group: Group) -> Iterator[dict[str, Any]]:
    result = group.first.result
    for split, metric in _metrics(result):
        yield {
            "table": "all runs",
            "row": group.first.task,
            "column": f"{group.label} {group.differs}".strip(),
            "task": group.first.task,
            "data": group.data,
            "encoder": result.encoder_name,
            "split": split,
            "metric": metric,
            "epochs": group.epochs,
            "steps": group.steps,
            "seconds": group.seconds,
            "parameters": group.parameters,
            "seeds": " ".join(str(run.seed) for run in group.runs),
            "runs": " ".join(f"{run.task}/{run.id}" for run in group.runs),
            "command": "; ".join(run.command for run in group.runs),
            **_numbers(group.scores(split, metric)),
        }


def _metrics(result: Finished) -> Iterator[tuple[str, str]]:
    """Yield each split with each of its metrics, the primary one first."""
    for split, values in result.metrics.items():
        for metric in sorted(values, key=lambda name: (name != result.metric, name)):
            yield split, metric


def _numbers(scores: Scores | None) -> dict[str, Any]:
    if scores is None:
        return {}
    return {"mean": scores.mean, "sd": scores.sd, "n": len(scores.values)}
