"""Runs as Every Eval Ever records, held to what that project's schema 0.2.1 asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bench import runs as verb
from bench.report.compare import estimated
from bench.report.exchange import evaluation
from bench.report.read import Run, read
from tests.bench.made_up import Maker, given

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
TEXTS = {"type": "object", "additionalProperties": TEXT}


def those(required: str, **known: Any) -> dict[str, Any]:
    """Objects of these fields and no others; the first ones are required."""
    fields = {"properties": known, "additionalProperties": False}
    return {"type": "object", "required": required.split(), **fields}


def data(kind: str, required: str, **more: Any) -> dict[str, Any]:
    about = {"dataset_name": TEXT, "source_type": {"const": kind}, "additional_details": TEXTS}
    return those(f"dataset_name source_type {required}", **about, **more)


INTERVAL = those("lower upper", lower=NUMBER, upper=NUMBER, confidence_level=NUMBER, method=TEXT)
SCORE = those(
    "evaluation_name source_data metric_config score_details",
    evaluation_name=TEXT,
    source_data={
        "oneOf": [
            data("url", "url", url={"type": "array", "items": TEXT, "minItems": 1}),
            data("other", ""),
        ]
    },
    metric_config=those(
        "lower_is_better score_type min_score max_score",
        evaluation_description=TEXT,
        lower_is_better={"type": "boolean"},
        score_type={"const": "continuous"},
        min_score=NUMBER,
        max_score=NUMBER,
    ),
    score_details=those(
        "score",
        score=NUMBER,
        uncertainty=those("", confidence_interval=INTERVAL, num_samples={"type": "integer"}),
    ),
)
SCHEMA = those(
    "schema_version evaluation_id retrieved_timestamp source_metadata model_info eval_library "
    "evaluation_results",
    schema_version={"const": "0.2.1"},
    evaluation_id=TEXT,
    retrieved_timestamp={"type": "string", "pattern": "^[0-9]+$"},
    evaluation_timestamp=TEXT,
    source_metadata=those(
        "source_type source_organization_name evaluator_relationship",
        source_name=TEXT,
        source_type={"enum": ["documentation", "evaluation_run"]},
        source_organization_name=TEXT,
        evaluator_relationship={"enum": ["first_party", "third_party", "collaborative", "other"]},
    ),
    model_info=those("name id", name=TEXT, id=TEXT, additional_details=TEXTS),
    eval_library=those("name version", name=TEXT, version=TEXT, additional_details=TEXTS),
    evaluation_results={"type": "array", "minItems": 1, "items": SCORE},
)


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


def test_a_record_names_no_folder_of_this_machine(run: Run) -> None:
    given(run.folder, {"data.dir": "/home/somebody/snli_1.0"})
    (again,) = read(run.folder.parents[1]).finished
    record = json.dumps(evaluation(again))
    assert "snli_1.0" in record
    assert "/home/somebody" not in record
    assert str(run.folder.parents[1]) not in record


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
    record = json.loads(exported.read_text())
    jsonschema.validate(record, SCHEMA)
    del record["eval_library"]["version"]
    with pytest.raises(jsonschema.ValidationError, match="'version' is a required property"):
        jsonschema.validate(record, SCHEMA)
