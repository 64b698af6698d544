"""Run ids outlive changes of the code: what a record was found under, it is found under again.

`run_ids.json` holds the ids of commands that README and the docs have had, and of every task, data,
encoder, placement and layer choice. An id that changes makes every finished run of it be done once
more: change the file only where the numbers of a run change.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.sweep.sweeper import Sweep
from tests.bench.ids import IDS, planned_ids

ROOT = Path(__file__).parents[2]

OTHERWISE = re.compile(r"data=open|encoder\.(vectors|source)|experiment\.search")

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


def _built_in() -> list[Any]:
    """List the experiments of results/ on built-in data: words of the command, and run ids.

    Runs on other data, vectors or weights have the files' bytes in their ids, and a search plans
    its trials alone.
    """
    found = []
    for path in sorted(ROOT.glob("results/*.jsonl")):
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            given = line.get("experiment", {"command": "data=open"})
            if not OTHERWISE.search(given["command"]):
                runs = (cell for cell in given["cells"] if "-on-" not in cell["run_id"])
                ids = {f"{cell['task']}/{cell['run_id']}" for cell in runs}
                words = shlex.split(given["command"])
                found.append(pytest.param(words, ids, id=f"{path.stem} {line['file']}"))
    return found


@pytest.mark.parametrize(("words", "ids"), _built_in())
def test_commands_of_reference_results_find_their_runs(
    words: list[str],
    ids: set[str],
    bench: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    found = planned_ids(monkeypatch)
    monkeypatch.setattr(Sweep, "_forecast", lambda self, todo: None)
    monkeypatch.chdir(tmp_path)
    assert bench(*words[words.index("bench") + 1 :], "plan=true") == 0
    assert set(found) == ids
