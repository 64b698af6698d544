"""Ensembles: what they say, what they leave behind, and what they refuse."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hydra.core.global_hydra import GlobalHydra
from safetensors.torch import load_file, save_file

from bench.__main__ import main
from bench.ensemble.__main__ import main as ensemble
from bench.ensemble.members import ensemble_id
from bench.report import frames
from bench.report.groups import groups
from bench.report.read import read
from bench.run.record import Record
from tasks.snli.task import SNLI
from tasks.task import Task
from tests.bench.small import SMALL
from tests.bench.verbs import said

Result = Callable[[Path], dict[str, Any]]
Together = Callable[..., tuple[int, str]]

QUICK = (*SMALL, "training.max_epochs=1")
KINDS = (
    ("seed=1", "elmo.placement=input+output"),
    ("seed=2", "elmo.placement=input+output"),
    ("seed=3", "elmo.placement=none"),
)


@pytest.fixture(scope="module")
def trained(snli_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs that differ in the seed, and one that differs in the placement, too."""
    root = tmp_path_factory.mktemp("trained")
    data = shutil.copytree(snli_folder, root / "data")
    for kind in KINDS:
        GlobalHydra.instance().clear()
        with pytest.MonkeyPatch.context() as patch:
            words = [*QUICK, f"data.dir={data}", f"paths.runs={root / 'runs'}", *kind]
            patch.setattr(sys, "argv", ["bench", *words])
            main()
    runs = (root / "runs" / "snli").iterdir()
    return sorted(runs, key=lambda run: json.loads((run / "result.json").read_text())["seed"])


@pytest.fixture
def three(trained: list[Path], tmp_path: Path) -> list[Path]:
    """Copies of them, to be spoiled, of data to be spoiled."""
    root = trained[0].parents[2]
    shutil.copytree(root, tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / "runs" / "snli").glob("*/*"):
        if path.name in ("config.yaml", "result.json"):
            change(path, str(root), str(tmp_path))
    return [tmp_path / "runs" / "snli" / run.name for run in trained]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def elsewhere(path: Path) -> None:
    """Let a record name another folder, and not know what lay there, as those of old."""
    change(path, "/data", "/elsewhere")
    change(path, '"fingerprint"', '"unknown"')


def unvouched(run: Path) -> None:
    """Let result.json vouch for no file, as those of older versions do."""
    result = json.loads((run / "result.json").read_text())
    result.pop("files", None)
    (run / "result.json").write_text(json.dumps(result))


@pytest.fixture
def together(capsys: pytest.CaptureFixture[str]) -> Together:
    """`together(RUN, RUN)`: exit status, and what was said."""

    def call(*arguments: Any) -> tuple[int, str]:
        return said(capsys, ensemble, arguments)

    return call


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "predictions.jsonl").read_text().splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def test_probabilities_are_the_mean_and_the_record_is_a_runs(
    three: list[Path], together: Together, result: Result, tmp_path: Path
) -> None:
    status, said = together("--mixed", *three)
    assert status == 0
    assert "3 runs" in said
    folder = tmp_path / "runs" / "snli" / ensemble_id(run.name for run in three)
    alone, ours = [rows(run) for run in three], rows(folder)
    assert list(ours) == list(alone[0])
    for name, row in ours.items():
        assert row["gold"] == alone[0][name]["gold"]
        assert row["split"] == alone[0][name]["split"]
        for label, probability in row["probabilities"].items():
            mean = sum(each[name]["probabilities"][label] for each in alone) / 3
            assert probability == pytest.approx(mean, abs=1e-6)

    made, run = result(folder), result(three[0])
    assert run.keys() - made.keys() == {"files", "steps", "provenance"}
    assert made.keys() - run.keys() == {"ensemble", "command"}
    assert made["run_id"] == folder.name
    assert made["elmo"]["placement"] == "input+output, none"
    assert [each["run_id"] for each in made["ensemble"]] == [run.name for run in three]
    assert made["ensemble"][1]["dev"] == result(three[1])["metrics"]["dev"]["accuracy"]
    right = [r["gold"] == r["prediction"] for r in ours.values() if r["split"] == "test"]
    assert made["primary"]["value"] == pytest.approx(100 * sum(right) / len(right))

    found = read(tmp_path / "runs")
    assert not found.problems
    assert not found.unfinished
    assert found.runs["snli", folder.name].command == (
        f"python -m bench.ensemble --mixed {_joined(three)}"
    )
    (block,) = frames.runs(groups(found.finished))
    assert sum("3 together" in row[0] for row in block.frame.rows) == 1


def _joined(runs: list[Path]) -> str:
    return " ".join(map(str, runs))


def test_again_it_is_shown_in_any_order_and_repeated_by_force(
    three: list[Path], together: Together, tmp_path: Path
) -> None:
    assert together(*three[:2])[0] == 0
    (path,) = (tmp_path / "runs").glob("snli/ensemble-*/result.json")
    before = path.stat().st_mtime_ns
    status, said = together(three[1], three[0])
    assert status == 0
    assert "finished earlier; --force repeats it" in said
    assert path.stat().st_mtime_ns == before
    assert together(*three[:2], "--force")[0] == 0
    assert path.stat().st_mtime_ns != before


def repeated(run: Path) -> str:
    """Let the run have other weights, as if it had been repeated; returns their hash."""
    weights = load_file(run / "head.safetensors")
    save_file({name: tensor + 1 for name, tensor in weights.items()}, run / "head.safetensors")
    record = Record(run)
    found = record.finished()
    assert found is not None
    record.write_result(replace(found, files=record.checksums()))
    return record.checksums()["head.safetensors"]


def test_runs_that_were_repeated_are_combined_anew(
    three: list[Path], together: Together, result: Result
) -> None:
    assert together(*three[:2])[0] == 0
    (folder,) = three[0].parent.glob("ensemble-*")
    head = repeated(three[1])
    found = read(three[0].parents[1])
    assert ("snli", folder.name) not in found.runs
    assert found.problems == [
        f"snli/{folder.name}: one of its runs has been repeated since: combine them again"
    ]
    assert "finished earlier" not in together(*three[:2])[1]
    assert result(folder)["ensemble"][1]["head"] == head
    assert "finished earlier" in together(*three[:2])[1]
    assert not read(three[0].parents[1]).problems


def test_of_an_older_ensemble_it_is_not_known(
    three: list[Path], together: Together, result: Result
) -> None:
    assert together(*three[:2])[0] == 0
    (folder,) = three[0].parent.glob("ensemble-*")
    old = result(folder)
    old["ensemble"] = [{k: v for k, v in each.items() if k != "head"} for each in old["ensemble"]]
    (folder / "result.json").write_text(json.dumps(old))
    repeated(three[1])
    assert "finished earlier" in together(*three[:2])[1]
    assert not read(three[0].parents[1]).problems


def test_only_what_the_runs_were_scored_on_counts(
    three: list[Path], together: Together, result: Result
) -> None:
    for run in three[:2]:
        lines = (run / "predictions.jsonl").read_text().splitlines(keepends=True)
        (run / "predictions.jsonl").write_text("".join(lines[:4] + lines[-7:]))
        unvouched(run)
    assert together(*three[:2])[0] == 0
    (folder,) = three[0].parent.glob("ensemble-*")
    assert list(rows(folder)) == list(rows(three[0]))
    assert result(folder)["counts"]["dev"] == 4
    assert result(folder)["counts"]["test"] == 7


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


def test_all_seeds_of_a_run(three: list[Path], together: Together, result: Result) -> None:
    """One that differs in more, a failed one and the ensemble of before are left out."""
    shutil.copytree(three[0], three[0].parent / "failed")
    change(three[0].parent / "failed" / "result.json", '"finished"', '"failed"')
    assert together("--seeds", three[1])[0] == 0
    (folder,) = three[0].parent.glob("ensemble-*")
    assert [each["seed"] for each in result(folder)["ensemble"]] == [1, 2]
    assert "finished earlier" in together("--seeds", three[0])[1]
    status, said = together("--seeds", three[2])
    assert status == 2
    assert f"{three[2]}: no run beside it is finished and differs in the seed alone" in said


def test_it_takes_two_that_are_none_themselves(three: list[Path], together: Together) -> None:
    assert "an ensemble has two runs or more" in together(three[0])[1]
    assert f"{three[0].name} is named twice" in together(three[0], three[0])[1]
    assert "is no finished run" in together(three[0], three[0].parent / "gone")[1]
    assert together(*three[:2])[0] == 0
    (made,) = three[0].parent.glob("ensemble-*")
    assert "is an ensemble itself: name its runs instead" in together(three[0], made)[1]


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
        self.labels = ("entailment", f"label {learned.calls}")  # type: ignore[assignment,attr-defined,misc]

    learned.calls = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(SNLI, "restore", learned)
    status, said = together(*three[:2])
    assert status == 2
    assert "have learned different labels: label 1, label 2" in said
