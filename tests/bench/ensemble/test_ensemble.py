"""Ensembles: what they say, what they leave behind, and what they refuse."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from bench.ensemble.members import ensemble_id
from bench.report import frames
from bench.report.groups import groups
from bench.report.read import read
from bench.run.record import Record
from tests.bench.ensemble.conftest import Together, change, unvouched

Result = Callable[[Path], dict[str, Any]]


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


def test_all_seeds_of_a_run(three: list[Path], together: Together, result: Result) -> None:
    """One that differs in more, a failed one and the ensemble of before are left out."""
    shutil.copytree(three[0], three[0].parent / "failed")
    change(three[0].parent / "failed" / "result.json", '"finished"', '"failed"')
    assert together("--seeds", three[1])[0] == 0
    (folder,) = three[0].parent.glob("ensemble-*")
    assert [each["seed"] for each in result(folder)["ensemble"]] == [1, 2]
    assert "finished earlier" in together("--seeds", three[0])[1]
    assert "finished earlier" in together("--seeds", *three[:2])[1]
    status, said = together("--seeds", three[2])
    assert status == 2
    assert f"{three[2]}: no run beside it is finished and differs in the seed alone" in said


def test_a_backup_copy_is_no_other_seed(
    three: list[Path], together: Together, result: Result
) -> None:
    for run in three[:2]:
        shutil.copytree(run, run.with_name(f"{run.name}.bak"))
    status, said = together("--seeds", three[0])
    assert status == 0, said
    (folder,) = three[0].parent.glob("ensemble-*")
    assert [each["seed"] for each in result(folder)["ensemble"]] == [1, 2]
    assert all(".bak" not in word for word in result(folder)["command"].split())
    shutil.rmtree(three[1])
    assert "finished earlier" in together("--seeds", three[0])[1]  # with the copy, which is left


def test_it_takes_two_that_are_none_themselves(three: list[Path], together: Together) -> None:
    assert "an ensemble has two runs or more" in together(three[0])[1]
    assert f"{three[0].name} is named twice" in together(three[0], three[0])[1]
    assert "is no finished run" in together(three[0], three[0].parent / "gone")[1]
    assert together(*three[:2])[0] == 0
    (made,) = three[0].parent.glob("ensemble-*")
    assert (
        "is an ensemble, which has no model of its own: name its runs"
        in together(three[0], made)[1]
    )


def test_what_is_made_of_a_run_lies_beside_it_however_it_is_named(
    three: list[Path], together: Together, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "best").symlink_to(three[1])
    monkeypatch.chdir(three[0])
    assert together("--seeds", ".")[0] == 0
    assert together("--force", tmp_path / "best", ".")[0] == 0
    assert len(list(three[0].parent.glob("ensemble-*"))) == 1
    assert not list(tmp_path.glob("ensemble-*")) + list(three[0].glob("ensemble-*"))
