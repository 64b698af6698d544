"""The schema of what is written: records round-trip, old ones are read, damaged ones are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.experiment import View
from bench.records import (
    DamagedRecord,
    Failed,
    Finished,
    Manifest,
    read_manifest,
    read_result,
)
from tests.bench.made_up import Maker

OLD: dict[str, Any] = {
    "schema": 1,
    "run_id": "none-0123456789",
    "status": "finished",
    "task": "snli",
    "data": {"name": "mini"},
    "elmo": {"placement": "none"},
    "seed": 1,
    "metrics": {"dev": {"accuracy": 50}},
    "primary": {"name": "accuracy", "split": "dev", "value": 50},
    "epochs": 1,
    "best_epoch": 0,
    "history": [{"epoch": 0, "dev": {"accuracy": 50}, "seconds": 1}],
}


def keys(value: Any) -> Any:
    """The keys of a record, at every depth; of a list, its first item's."""
    if isinstance(value, dict):
        return {key: keys(item) for key, item in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


def file(folder: Path, content: Any) -> Path:
    path = folder / "result.json"
    path.write_text(json.dumps(content))
    return path


def test_a_run_is_read_back_as_it_was_written(small: Callable[..., Path]) -> None:
    path = small("elmo.placement=input+output", "training.max_epochs=1") / "result.json"
    content = json.loads(path.read_text())
    result = read_result(path)
    assert isinstance(result, Finished)
    assert result.to_json() == content
    assert list(result.to_json()) == list(content)
    assert result.score("test") == content["primary"]["value"]
    assert result.mix["output"].gamma == content["mix"]["output"]["gamma"]


def test_made_up_runs_have_the_keys_of_a_run(small: Callable[..., Path], tmp_path: Path) -> None:
    made = Maker(tmp_path / "made up")
    made.run(placement="input")
    (path,) = made.folder.glob("*/*/result.json")
    ours = keys(json.loads(path.read_text()))
    theirs = keys(json.loads((small("elmo.placement=input") / "result.json").read_text()))
    for each in (ours, theirs):  # which depend on the task, on what was computed, on the machine
        for part in ("metrics", "history", "timing", "versions", "data", "files", "provenance"):
            each.pop(part, None)
        each.pop("steps", None)
    assert ours == theirs


def test_a_failed_run_says_why(tmp_path: Path) -> None:
    run_id = Maker(tmp_path).run(status="failed")
    path = tmp_path / "snli" / run_id / "result.json"
    result = read_result(path)
    assert isinstance(result, Failed)
    assert result.error.startswith("out of memory")
    assert result.to_json() == json.loads(path.read_text())


def test_what_an_older_record_lacks_has_a_default(tmp_path: Path) -> None:
    result = read_result(file(tmp_path, OLD))
    assert isinstance(result, Finished)
    assert (result.mix, result.yardsticks, result.seconds) == ({}, {}, 0)
    assert (result.encoder_name, result.data_name, result.dev_scores) == ("none", "mini", [50])
    assert (result.history[0].train_loss, result.command) == (None, None)
    assert not result.ensemble


def test_epochs_of_schema_1_counted_from_0(tmp_path: Path) -> None:
    result = read_result(file(tmp_path, OLD))
    assert isinstance(result, Finished)
    assert (result.best_epoch, result.history[0].epoch) == (1, 1)
    assert (result.written_as, result.steps, result.provenance) == (1, None, [])
    again = read_result(file(tmp_path, result.to_json()))
    assert again == replace(result, written_as=2)


def test_keys_of_a_later_version_are_ignored(tmp_path: Path) -> None:
    later = {**OLD, "power_kwh": 3, "elmo": {**OLD["elmo"], "heads": 4}}
    assert read_result(file(tmp_path, later)) == read_result(file(tmp_path, OLD))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": 3}, "schema 3, this version reads up to 2"),
        ({"status": "begun"}, "status 'begun'"),
        ({"primary": {"name": "f1", "split": "dev", "value": 1}}, "no 'f1'"),
        ({"elmo": {}}, "no 'placement'"),
        ({"data": {}}, "no 'name'"),
        ({"history": [{"epoch": 0, "seconds": 1}]}, "no 'dev'"),
        ({"seed": "first"}, "invalid literal"),
        ({"metrics": [50]}, "metrics"),
        ({"mix": {"input": {"weights": [1.0]}}}, "no 'gamma'"),
        ({"run_id": "../../elsewhere"}, "'../../elsewhere' is no name of a folder"),
        ({"task": "/etc"}, "'/etc' is no name of a folder"),
        ({"task": ".."}, "'..' is no name of a folder"),
    ],
)
def test_a_damaged_result_is_one_line_that_names_it(
    change: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    path = file(tmp_path, {**OLD, **change})
    with pytest.raises(DamagedRecord) as error:
        read_result(path)
    assert str(error.value).startswith(f"{path}: damaged (")
    assert str(error.value).endswith("; remove it and repeat the run")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_an_experiment_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("snli", f"λ={x:g}", x=x, l2=x, placement="input") for x in (0.0, 0.1)]
    path = make.experiment("lambda", cells, view=View.curve, paper={"snli": {"λ=0": 88.1}})
    found = read_manifest(path, Manifest)
    assert found.to_json() == json.loads(path.read_text())
    assert found.view is View.curve
    assert found.cells == cells
    assert [cell.placement for cell in found.cells] == ["input", "input"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            '"table"',
            '"pie"',
            "view 'pie', expected one of table, curve, efficiency, weights, noise",
        ),
        ('"run_id"', '"run"', "no 'run_id'"),
        ('"title"', '"name"', "no 'title'"),
    ],
)
def test_a_damaged_experiment_is_one_line_that_names_it(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    make = Maker(tmp_path)
    path = make.experiment("two", [make.cell("snli", "baseline")])
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(DamagedRecord) as error:
        read_manifest(path, Manifest)
    assert str(error.value) == f"{path}: damaged ({reason}); repeat the experiment"
