"""Data is known by what it is: its examples, wherever their files lie."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from omegaconf import DictConfig

from bench.report.groups import groups
from bench.report.read import read
from bench.run.contents import content
from bench.run.fingerprint import files_below, fingerprint, stamp
from tests.bench.run.conftest import change_unseen, drop_a_line
from tests.bench.small import SMALL

Configured = Callable[..., DictConfig]

COLUMNS: dict[str, list[Any]] = {
    "id": ["a", "b", "c"],
    "words": [["x", "yz"], [], ["é"]],
    "spans": [[[0, 1]], [], [[0, 1], [2, 2]]],
    "gold": [1, None, 3],
    "right": [True, False, None],
    "weight": [0.5, 0.0, None],
    "answer": [{"text": "x", "start": 1}, None, {"text": "", "start": 0}],
}


def of(**changes: Any) -> str:
    return fingerprint(Dataset.from_dict(COLUMNS | changes))


@pytest.mark.parametrize(
    "change",
    [
        {"id": ["a", "c", "b"]},
        {"words": [["xy", "z"], [], ["é"]]},
        {"words": [["x"], ["yz"], ["é"]]},
        {"spans": [[[0, 1]], [[0, 1]], [[2, 2]]]},
        {"gold": [1, 0, 3]},
        {"right": [True, None, None]},
        {"weight": [0.5, None, None]},
        {"answer": [{"text": "x", "start": 1}, {"text": "", "start": 0}, None]},
        {"more": [0, 0, 0]},
    ],
)
def test_any_difference_is_seen(change: dict[str, Any]) -> None:
    assert of() != of(**change)


def test_the_names_of_documents_do_not_count() -> None:
    assert of() == of(document_id=["a", "a", "b"])


def test_how_it_is_stored_does_not_count(tmp_path: Path) -> None:
    whole = Dataset.from_dict(COLUMNS)
    turned = Dataset.from_dict(dict(reversed(COLUMNS.items())))
    drawn = Dataset.from_dict({k: [v[2], *v] for k, v in COLUMNS.items()}).select([1, 2, 3])
    whole.to_parquet(tmp_path / "one.parquet")
    read_back = Dataset.from_parquet(str(tmp_path / "one.parquet"), cache_dir=str(tmp_path))
    assert {fingerprint(each) for each in (turned, drawn, read_back)} == {of()}


def test_a_stamp_is_of_names_sizes_and_times(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    file = tmp_path / "inner" / "train.txt"
    file.write_text("one")
    first = stamp(str(tmp_path))
    assert stamp(str(tmp_path)) == first
    os.utime(file, (0, 0))
    assert stamp(str(tmp_path)) != first


def test_a_file_that_goes_away_meanwhile_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.txt").write_text("one")
    first, there = stamp(str(tmp_path)), files_below(tmp_path)
    gone = [tmp_path / ".last.ckpt.1.tmp", *there]
    monkeypatch.setattr("bench.run.fingerprint.files_below", lambda *_: gone)
    assert stamp(str(tmp_path)) == first


def test_runs_that_lie_in_the_folder_of_data_are_none(
    configured: Configured, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data)
    cfg = configured("task=snli", "data.dir=.", "paths.runs=runs")
    first = content(cfg)
    change_unseen(data / "snli_1.0_dev.jsonl")  # read again, it would be another
    (tmp_path / "scratch").mkdir()
    (data / "runs").symlink_to(tmp_path / "scratch")
    for name in ("last.ckpt", ".last.ckpt.1.tmp"):
        (data / "runs" / name).write_text("of another process")
        assert content(cfg) == first is not None


@pytest.fixture
def done(bench: Callable[..., int], data: Path, tmp_path: Path) -> Callable[..., None]:
    def call(*words: str, folder: Path = data, before: Sequence[str] = ()) -> None:
        given = ("elmo.placement=none", "training.max_epochs=1", f"paths.runs={tmp_path / 'runs'}")
        assert bench(*before, *SMALL, *given, f"data.dir={folder}", *words) == 0

    return call


def test_a_report_knows_data_by_its_examples(
    done: Callable[..., None], data: Path, tmp_path: Path
) -> None:
    other = shutil.copytree(data, tmp_path / "elsewhere")
    done("seed=1")
    done("seed=2", folder=other)
    (group,) = groups(read(tmp_path / "runs").finished)
    assert [run.seed for run in group.runs] == [1, 2]
    drop_a_line(other / "snli_1.0_train.jsonl")
    done("seed=3", folder=other)
    found = groups(read(tmp_path / "runs").finished)
    assert [[run.seed for run in each.runs] for each in found] == [[1, 2], [3]]
    assert len({each.data for each in found}) == 2


def test_a_record_of_old_stands_with_what_lay_at_its_place(
    done: Callable[..., None], tmp_path: Path
) -> None:
    done("seed=1")
    done("seed=2")
    path = min((tmp_path / "runs").glob("snli/*/result.json"))
    content = json.loads(path.read_text())
    del content["data"]["fingerprint"], content["data"]["content"]
    path.write_text(json.dumps(content | {"schema": 1}))
    (group,) = groups(read(tmp_path / "runs").finished)
    assert len(group.runs) == 2
