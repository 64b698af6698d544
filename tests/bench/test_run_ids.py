"""Run ids outlive changes of the code: what a record was found under, it is found under again.

`run_ids.json` holds the ids of commands that README and the docs have had, and of every task, data,
encoder, placement and layer choice. An id that changes makes every finished run of it be done once
more: change the file only where the numbers of a run change.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.sweep.sweeper import Sweep
from tests.bench.ids import IDS, planned_ids

BESIDES = [command for command in IDS if not re.fullmatch(r"experiment=[\w-]+", command)]
"""Plain experiments are looked at where their runs are counted, in sweep/test_experiment.py."""


@pytest.mark.parametrize("command", BESIDES)
def test_the_ids_are_as_they_were(
    command: str,
    bench: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    found = planned_ids(monkeypatch)
    monkeypatch.setattr(Sweep, "_forecast", lambda self, todo: None)  # it would try steps
    monkeypatch.chdir(tmp_path)
    assert bench(*shlex.split(command), "plan=true") == 0
    assert found == IDS[command]
