"""A result.json of which a part is missing or mistyped is named, in the report as elsewhere."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.errors import RunError
from bench.records import read_result
from bench.report.__main__ import main as report
from bench.run.record import Record

WRONG: tuple[Any, ...] = (None, [], {}, "x", 7, -1.5, True, [1], {"a": 1}, [[]])


def spoiled(content: Any) -> Iterator[tuple[str, Any]]:
    """Each part left out, and each replaced by something of another kind."""
    for path in _paths(content):
        name = ".".join(map(str, path))
        for value in (..., *WRONG):
            changed = copy.deepcopy(content)
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            if value is ...:
                del inner[path[-1]]
            else:
                inner[path[-1]] = value
            yield f"{name} = {value}", changed


def _paths(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(content, dict):
        items = content.items()
    elif isinstance(content, list):
        items = enumerate(content)
    for key, value in items:
        yield (*place, key)
        yield from _paths(value, (*place, key))


def test_every_part_spoiled_is_read_or_named(finished_run: Path, tmp_path: Path) -> None:
    content = json.loads((finished_run / "result.json").read_text())
    path = tmp_path / "result.json"
    for what, changed in spoiled(content):
        path.write_text(json.dumps(changed))
        said = _said(path)
        assert said == "read" or said.startswith(f"{path}: damaged"), (what, said)
        assert "\n" not in said, what


def _said(path: Path) -> str:
    try:
        json.dumps(read_result(path).to_json())
    except RunError as error:
        return str(error)
    return "read"


@pytest.mark.slow
def test_the_report_shows_or_names_each(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((finished / "result.json").read_text())
    for number, (_, changed) in enumerate(spoiled(content)):
        other = Path(shutil.copytree(finished, finished.with_name(f"input-{number:010}")))
        (other / "result.json").write_text(json.dumps(changed))
    capsys.readouterr()
    report([str(finished.parents[1])])
    assert "damaged" in capsys.readouterr().err


def test_a_configuration_that_is_a_list(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (finished / "config.yaml").write_text("[a, b]\n")
    capsys.readouterr()
    report([str(finished.parents[1])])
    assert "index.html" in capsys.readouterr().out
    assert Record(finished).finished()
