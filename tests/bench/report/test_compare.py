"""Which runs are compared, and the one line that says why others are not."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.report import compare
from bench.report.grid import Entry, fill
from bench.report.groups import groups
from bench.report.notes import notes
from bench.report.read import read, read_experiment
from bench.report.statistics import from_scoring
from tasks.scoring.additive_metrics import mean
from tasks.task import Task
from tests.bench.made_up import Maker


def compared(make: Maker, path: Path) -> Entry:
    """Return ELMo's entry in the table of two columns."""
    return fill(read_experiment(path), read(make.folder)).entries["snli", "ELMo"]


def not_compared(make: Maker, path: Path) -> str:
    entry = compared(make, path)
    assert entry.against is None
    assert "\n" not in entry.not_compared
    return entry.not_compared


def test_predictions_that_do_not_belong_to_the_result_are_not_compared(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    (result,) = tmp_path.glob("snli/input-*/predictions.jsonl")
    rows = [json.loads(line) for line in result.read_text().splitlines()]
    rows[0]["prediction"] = "contradiction" if rows[0]["gold"] == "neutral" else "neutral"
    rows[1]["prediction"] = rows[1]["gold"]
    rows[2]["prediction"] = rows[2]["gold"]
    result.write_text("".join(json.dumps(row) + "\n" for row in rows[:190] + rows[195:]))
    assert "but result.json says" in not_compared(make, path)


def test_no_common_seed_is_said(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns(seeds=((1,), (2,)))
    assert not_compared(make, path) == "no seed in common with the baseline"


def test_a_task_without_counts_is_scored_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    counted = compared(make, path).against
    monkeypatch.setattr(compare, "count_functions", lambda target: (Task.counts, Task.from_counts))
    monkeypatch.setattr(compare, "from_scoring", partial(from_scoring, groups=20))
    anew = compared(make, path).against
    assert anew is not None
    assert counted is not None
    assert anew.difference == pytest.approx(counted.difference)
    assert anew.clusters == 20  # groups of the jackknife
    assert anew.low < anew.difference < anew.high


def test_runs_of_two_metrics_are_not_compared(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    (result,) = tmp_path.glob("snli/input-*/result.json")
    content = json.loads(result.read_text())
    content["metrics"] = {s: {"error": m["accuracy"]} for s, m in content["metrics"].items()}
    content["primary"]["name"] = "error"
    for epoch in content["history"]:
        epoch["dev"] = {"error": epoch["dev"]["accuracy"]}
    result.write_text(json.dumps(content))
    assert not_compared(make, path) == "scored by accuracy and by error"
    said = "snli: scored by accuracy and by error: these scores do not compare."
    assert said in notes(fill(read_experiment(path), read(tmp_path)))


def test_a_score_that_is_no_number_without_some_examples_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    monkeypatch.setattr(compare, "count_functions", lambda target: (Task.counts, Task.from_counts))
    monkeypatch.setattr("tasks.snli.task.SNLI.score", lambda self, rows: {"accuracy": float("nan")})
    told = not_compared(make, path)
    assert told == "dev: the metric is no number without some of the examples"


@pytest.mark.parametrize(("off", "fine"), [(0.0, True), (1e-3, False)])
def test_a_score_in_float32_is_the_same_score(off: float, fine: bool, tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    (result,) = tmp_path.glob("snli/input-*/result.json")
    content = json.loads(result.read_text())
    scores = content["metrics"]["dev"]
    scores["accuracy"] = float(np.float32(scores["accuracy"] / 3)) * 3 + off
    result.write_text(json.dumps(content))
    assert (compared(make, path).against is not None) is fine


def first_is_right(row: dict[str, Any]) -> tuple[float, float]:
    return float(row["gold"] == row["prediction"]), 1.0


def by_hand(sums: Any) -> float:
    """Compute accuracy of one pair of sums; more of them at once are too many to unpack."""
    right, examples = sums
    return 100 * float(right) / float(examples)


@pytest.mark.parametrize(
    ("counts", "from_counts", "reason"),
    [
        (lambda row: row["answer"], mean, "KeyError: 'answer'"),
        (lambda row: (1.0,) * (1 + (row["id"] == "dev7")), mean, "ValueError: "),
        (first_is_right, Task.from_counts, "NotImplementedError: a task with `counts` needs"),
        (first_is_right, by_hand, "its task's counts fail ("),
    ],
)
def test_counts_that_fail_are_told_in_one_line(
    counts: Any, from_counts: Any, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Maker(tmp_path)
    monkeypatch.setattr(compare, "count_functions", lambda target: (counts, from_counts))
    told = not_compared(make, make.two_columns())
    assert "config.yaml: its task's counts fail (" in told
    assert reason in told


def test_a_score_that_fails_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def score(self: object, rows: object) -> None:
        raise ZeroDivisionError

    make = Maker(tmp_path)
    monkeypatch.setattr(compare, "count_functions", lambda target: (Task.counts, Task.from_counts))
    monkeypatch.setattr("tasks.snli.task.SNLI.score", score)
    told = not_compared(make, make.two_columns())
    assert told.endswith("config.yaml: its task's score fails (ZeroDivisionError)")


def test_a_score_that_is_no_number_is_not_the_recorded_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Maker(tmp_path)
    functions = first_is_right, lambda sums: np.full(sums.shape[:-1], np.nan)
    monkeypatch.setattr(compare, "count_functions", lambda target: functions)
    assert "predictions.jsonl scores nan by its task's counts, but" in not_compared(
        make, make.two_columns()
    )


def test_a_run_without_its_config_is_in_the_tables_but_not_compared(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    for config in tmp_path.glob("snli/*/config.yaml"):
        config.unlink()
    assert "config.yaml cannot be read" in not_compared(make, path)
    (table, *_) = groups(read(tmp_path).finished)
    assert table.differs == ""


@pytest.mark.parametrize(
    ("old", "new"), [("precision: 32-true", "precision: [1]"), ("batches: null", "batches: few")]
)
def test_a_config_of_other_types_is_as_none(old: str, new: str, tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    for config in tmp_path.glob("snli/*/config.yaml"):
        config.write_text(config.read_text().replace(old, new))
    assert "config.yaml cannot be read" in not_compared(make, path)
    assert notes(fill(read_experiment(path), read(tmp_path)))


def test_lines_of_predictions_end_at_newlines_alone(tmp_path: Path) -> None:
    """Text may hold what Python takes for the end of a line, too."""
    make = Maker(tmp_path)
    path = make.two_columns()
    for predictions in tmp_path.glob("snli/*/predictions.jsonl"):
        rows = [json.loads(line) for line in predictions.read_text().splitlines()]
        lines = [json.dumps(row | {"text": "a\u2028b\x85c"}, ensure_ascii=False) for row in rows]
        predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert compared(make, path).against is not None
