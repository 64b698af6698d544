"""Runs that cannot be combined."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.ensemble.members import all_seeds
from bench.errors import RunError
from tasks.snli.task import SNLI
from tasks.task import Task
from tests.bench.ensemble.conftest import Together, change, elsewhere, unvouched

Spoil = Callable[[Path], object]
REFUSED: dict[str, tuple[Spoil, str]] = {
    "task": (
        lambda run: change(run / "result.json", '"task": "snli"', '"task": "sst5"'),
        "do not go together: task=snli and task=sst5",
    ),
    "folder": (
        lambda run: elsewhere(run / "result.json"),
        "/data and data.dir=",
    ),
    "set": (
        lambda run: change(run / "result.json", '"name": "open"', '"name": "paper"'),
        "data.name=open and data.name=paper",
    ),
    "example": (
        lambda run: change(run / "predictions.jsonl", '"id": "dev0"', '"id": "dev00"'),
        "2 examples of dev, such as dev0, are in one alone",
    ),
    "gold": (
        lambda run: change(run / "predictions.jsonl", '"gold": "neutral"', '"gold": "entailment"'),
        "dev: the gold of ",
    ),
    "failed": (
        lambda run: change(run / "result.json", '"finished"', '"failed"'),
        "is no finished run",
    ),
    "control": (
        lambda run: change(
            run / "result.json", '"name": "open"', '"name": "open", "control": true'
        ),
        "has learned a control task's labels (data.control=true)",
    ),
    "head": (lambda run: (run / "head.safetensors").unlink(), "it has no head.safetensors"),
    "damaged": (
        lambda run: (run / "predictions.jsonl").write_text("{"),
        "predictions.jsonl cannot be read",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_names_what_differs(what: str, three: list[Path], together: Together) -> None:
    spoil, message = REFUSED[what]
    unvouched(three[1])
    spoil(three[1])
    status, said = together(*three[:2])
    assert status == 2
    assert message in said
    assert "Traceback" not in said
    assert not list(three[0].parent.glob("ensemble-*/result.json"))


MIXED = {
    "placement": ("placement: input+output", "placement: input", "elmo.placement=input"),
    "penalty": ("l2: 0.001", "l2: 0.1", "elmo.l2=0.1"),
    "epochs": ("max_epochs: 1", "max_epochs: 9", "training.max_epochs=9"),
    "share": ("train_share: 1.0", "train_share: 0.5", "data.train_share=0.5"),
    "average": ("ema: null", "ema: 0.9", "training.ema=0.9"),
}


@pytest.mark.parametrize("what", MIXED)
def test_more_than_the_seed_differs_only_if_asked(
    what: str, three: list[Path], together: Together
) -> None:
    old, new, message = MIXED[what]
    key, _, value = message.partition("=")
    change(three[1] / "config.yaml", old, new)
    status, said = together(*three[:2])
    assert status == 2
    assert f"differ in more than the seed: {key}={old.split()[1].replace('null', 'None')} " in said
    assert f"and {key}={value}; --mixed" in said
    assert said.count("\n") == 1
    assert not list(three[0].parent.glob("ensemble-*/result.json"))
    if what == "share":  # the others would not fit the head, or change nothing in it
        assert together("--mixed", *three[:2])[0] == 0


def test_data_that_has_changed_since_is_refused(
    three: list[Path], together: Together, tmp_path: Path
) -> None:
    change(tmp_path / "data" / "snli_1.0_test.jsonl", '"neutral"', '"entailment"')
    status, said = together(*three[:2])
    assert status == 2
    assert "has changed since the runs" in said
    change(tmp_path / "data" / "snli_1.0_dev.jsonl", '"dev0"', '"dev99"')
    assert "no example dev0" in together(*three[:2])[1]
    assert not list(three[0].parent.glob("ensemble-*/result.json"))


def test_a_task_that_refuses_says_why(
    three: list[Path], together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SNLI, "combine", Task.combine)
    status, said = together(*three[:2])
    assert status == 2
    assert "runs of snli cannot be combined: its task does not say how (Task.combine)" in said


def test_labels_must_be_the_same(
    three: list[Path], together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each task has its own, as where its vocabulary has learned them."""
    restore = SNLI.restore

    def learned(self: SNLI, vocabulary: dict[str, Any]) -> None:
        restore(self, vocabulary)
        learned.calls += 1  # type: ignore[attr-defined]
        self.labels = ("entailment", f"label {learned.calls}")  # type: ignore[assignment,attr-defined]

    learned.calls = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(SNLI, "restore", learned)
    status, said = together(*three[:2])
    assert status == 2
    assert "have learned different labels: label 1, label 2" in said


def test_word_vectors_are_what_they_hold(three: list[Path]) -> None:
    """Of two seeds: the same bytes at two places go together, other bytes at one do not."""
    for path, run, hold in (("/a/glove", 0, "same"), ("/b/glove", 1, "same")):
        change(three[run] / "config.yaml", "word_vectors: null", f"word_vectors: {path}")
        vectors(three[run], hold)
    assert all_seeds(three[0]) == three[:2]
    change(three[1] / "config.yaml", "/b/glove", "/a/glove")
    vectors(three[1], "other")
    with pytest.raises(RunError, match="no run beside it is finished and differs in the seed"):
        all_seeds(three[0])


def vectors(run: Path, held: str) -> None:
    """Let a run's record say what its word vectors held."""
    path = run / "result.json"
    result = json.loads(path.read_text())
    result["data"]["vectors"] = held
    path.write_text(json.dumps(result))
