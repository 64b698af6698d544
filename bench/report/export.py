"""Finished runs into a file of reference results, with the experiments that they belong to."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.records import Finished
from bench.records.references import SCHEMA, write_references
from bench.report.compare import referred
from bench.report.read import Experiment, Key, found


def export(runs: Path, wanted: Collection[Key], path: Path, trusted: Sequence[str] = ()) -> None:
    """Write the runs `wanted` of the folder `runs` to `path` (bench/records/references.py)."""
    records = found(runs, trusted)
    references = [referred(records.runs[key]) for key in sorted(wanted)]
    lines = [replace(each, result=_run(each.result)).to_json() for each in references]
    lines += [
        {"schema": SCHEMA, "experiment": _manifest(each), "file": each.id}
        for each in records.experiments
        if any(cell.key in wanted for cell in each.cells)
    ]
    write_references(path, lines)


def _run(result: Finished) -> Finished:
    sittings = [replace(each, command=_anywhere(each.command)) for each in result.provenance]
    return replace(result, provenance=sittings)


def _manifest(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment's file, which does not name itself."""
    cells = [replace(cell, command=_anywhere(cell.command)) for cell in experiment.cells]
    content = replace(experiment, cells=cells, command=_anywhere(experiment.command)).to_json()
    return {key: value for key, value in content.items() if key != "path"}


def _anywhere(command: str) -> str:
    """Leave out of a command where its files lie and what launches it: nothing to others.

    >>> _anywhere("python -m bench seed=1 paths.runs=/home/me/runs 'encoder=a b'")
    "python -m bench seed=1 'encoder=a b'"
    """
    return shlex.join(w for w in shlex.split(command) if not w.startswith(_OURS))


_OURS = ("paths.runs=", "features.dir=", "features.overlay=", "hydra/launcher=", "hydra.launcher.")
