"""Runs as Every Eval Ever records, held to that project's own schema where there is a copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import runs as verb
from bench.report.compare import estimated
from bench.report.exchange import evaluation
from bench.report.read import Run, read
from tests.bench.made_up import Maker
from tests.conftest import shared


@pytest.fixture
def run(tmp_path: Path) -> Run:
    make = Maker(tmp_path / "runs")
    make.run(placement="input", seed=3)
    return read(make.folder).finished[0]


def test_a_record_has_every_score_and_the_interval(run: Run) -> None:
    record = json.loads(json.dumps(evaluation(run)))
    scores = {each["evaluation_name"]: each for each in record["evaluation_results"]}
    assert set(scores) == {"snli/dev/accuracy", "snli/test/accuracy"}
    for split in ("dev", "test"):
        details = scores[f"snli/{split}/accuracy"]["score_details"]
        assert details["score"] == run.score(split)
        interval = details["uncertainty"]["confidence_interval"]
        found = estimated(run, split)
        assert (interval["lower"], interval["upper"]) == (found.low, found.high)
        assert interval["lower"] < details["score"] < interval["upper"]
    about = record["model_info"]["additional_details"]
    assert all(isinstance(value, str) for value in about.values())  # as the schema wants it
    assert about["seed"] == "3"
    assert json.loads(about["choice"])["task"]["name"] == "snli"
    assert str(run.folder.parent) not in json.dumps(record["evaluation_results"])


def test_without_predictions_there_is_no_interval(run: Run) -> None:
    (run.folder / "predictions.jsonl").unlink()
    details = [each["score_details"] for each in evaluation(run)["evaluation_results"]]
    assert not any("uncertainty" in each for each in details)


def test_a_published_set_is_named_by_its_publisher(run: Run) -> None:
    source = evaluation(run)["evaluation_results"][0]["source_data"]
    assert (source["source_type"], source["dataset_name"]) == ("other", "mini")
    run.result.data["name"] = "paper"  # type: ignore[index]
    source = evaluation(run)["evaluation_results"][0]["source_data"]
    assert source["source_type"] == "url"
    assert source["url"][0].startswith("https://")
    run.result.data["dir"] = "/home/somebody/snli_1.0"  # type: ignore[index]
    source = evaluation(run)["evaluation_results"][0]["source_data"]
    assert (source["source_type"], source["dataset_name"]) == ("other", "snli_1.0")


@pytest.fixture
def exported(run: Run, tmp_path: Path) -> Path:
    """The record that the verb writes."""
    folders = ["-o", str(tmp_path / "records"), "--runs", str(run.folder.parents[1])]
    verb.main(["export", "--format", "every-eval-ever", *folders])
    (path,) = (tmp_path / "records").glob("snli/*.json")
    return path


def test_the_verb_writes_a_record_named_after_its_run(run: Run, exported: Path) -> None:
    assert exported.stem == run.id
    written = json.loads(exported.read_text())
    assert written["model_info"] == json.loads(json.dumps(evaluation(run)["model_info"]))


def test_the_schema_takes_it(exported: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads(shared("every-eval-ever/eval.schema.json").read_text())
    jsonschema.validate(json.loads(exported.read_text()), schema)
