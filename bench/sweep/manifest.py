"""What an experiment consists of, kept beside its runs for the report.

<paths.runs>/.experiments/<name>-<hash of its runs>.json
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from bench.sweep.job import Ensemble, Places
from elmo_core.whole_files import replacing

SCHEMA = 1


def write(cfg: DictConfig, places: Places, ensembles: Sequence[Ensemble]) -> Path | None:
    """For an experiment; other sweeps have none. `cfg`: the sweep's, with Hydra's node."""
    if cfg.experiment is None:
        return None
    content = manifest(cfg, places, ensembles)
    runs = "\n".join(sorted({f"{cell['task']}/{cell['run_id']}" for cell in content["cells"]}))
    name = f"{content['experiment']}-{hashlib.sha256(runs.encode()).hexdigest()[:10]}.json"
    path = Path(cfg.paths.runs).expanduser() / ".experiments" / name
    with replacing(path) as temporary:
        text = json.dumps(content, indent=2, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")
    return path


def manifest(cfg: DictConfig, places: Places, ensembles: Sequence[Ensemble]) -> dict[str, Any]:
    """An ensemble is a column like the others, with one run in each row."""
    experiment = cfg.experiment
    rows = list(dict.fromkeys(cell.row for cell, _ in places))
    columns = [cell.column for cell, _ in places] + [each.column for each in ensembles]
    return {
        "schema": SCHEMA,
        "experiment": cfg.hydra.runtime.choices["experiment"],
        "title": experiment.title,
        "source": experiment.source,
        "view": experiment.view.value,
        "split": experiment.split.value,
        "baseline": experiment.baseline,
        "rows": rows,
        "columns": list(dict.fromkeys(columns)),
        "paper": {row: dict(numbers) for row, numbers in experiment.paper.items() if row in rows},
        "data": _distinct(job.cfg.data.name for _, job in places),
        "encoder": _distinct(job.encoder for _, job in places),
        "command": command([*cfg.hydra.overrides.task, *cfg.hydra.overrides.hydra]),
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "seed": cell.seed,
                "task": job.cfg.task["name"],
                "run_id": job.record.folder.name,
                "x": cell.x,
                "command": command(cell.overrides),
            }
            for cell, job in places
        ]
        + [
            {
                "row": each.row,
                "column": each.column,
                "seed": each.seed,
                "task": each.task,
                "run_id": each.record.folder.name,
                "x": None,
                "command": each.command,
            }
            for each in ensembles
        ],
    }


def _distinct(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def command(words: Iterable[str]) -> str:
    """What does it again, for a shell."""
    return shlex.join(["python", "-m", "bench", *(w for w in words if w != "hydra.mode=MULTIRUN")])
