"""Finished runs into a file of reference results, with the experiments that they belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from bench.records.references import SCHEMA, write_references
from bench.report.compare import referred
from bench.report.read import Experiment, Key, found


def export(runs: Path, wanted: Collection[Key], path: Path, trusted: Sequence[str] = ()) -> None:
    """Write the runs `wanted` of the folder `runs` to `path` (bench/records/references.py)."""
    records = found(runs, trusted)
    lines = [referred(records.runs[key]).to_json() for key in sorted(wanted)]
    lines += [
        {"schema": SCHEMA, "experiment": _manifest(each), "file": each.id}
        for each in records.experiments
        if any(cell.key in wanted for cell in each.cells)
    ]
    write_references(path, lines)


def _manifest(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment's file as it was, which does not name itself."""
    return {key: value for key, value in experiment.to_json().items() if key != "path"}
