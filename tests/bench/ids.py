"""The ids that commands gave their runs, and those that they give now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.sweep import sweeper
from bench.sweep.job import Job

IDS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("run_ids.json").read_text(encoding="utf-8")
)


def planned_ids(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that fills with the ids of the runs which `plan=true` names from now on."""
    found: list[str] = []
    known = sweeper.console.plan

    def plan(config: Any, jobs: Sequence[Job], *others: Any) -> None:
        found.extend(f"{job.record.folder.parent.name}/{job.record.folder.name}" for job in jobs)
        known(config, jobs, *others)

    monkeypatch.setattr(sweeper.console, "plan", plan)
    return found
