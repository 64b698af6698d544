"""Run ids outlive changes of the code: what a record was found under, it is found under again.

`run_ids.json` holds the ids of README's and the docs' commands, and of every task, data, encoder,
placement and layer choice. An id that changes makes every finished run of it be done once more:
change the file only where the numbers of a run change.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.sweep import sweeper
from bench.sweep.job import Job

IDS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("run_ids.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("command", IDS)
def test_the_ids_are_as_they_were(
    command: str,
    bench: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    found: list[str] = []

    def plan(_: Any, jobs: Sequence[Job], *__: Any) -> None:
        found.extend(f"{job.record.folder.parent.name}/{job.record.folder.name}" for job in jobs)

    monkeypatch.setattr(sweeper.console, "plan", plan)
    monkeypatch.setattr("bench.sweep.forecast.show", lambda _: None)  # it would try steps
    monkeypatch.setattr(sweeper.Sweep, "_forecast", lambda self, todo: None)
    monkeypatch.chdir(tmp_path)
    assert bench(*shlex.split(command), "plan=true") == 0
    assert found == IDS[command]
