"""Experiments that ask for an ensemble."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.ensemble.members import all_seeds, ensemble_id
from tasks.snli.task import SNLI
from tasks.task import Task
from tests.bench.small import SMALL
from tests.bench.sweep.conftest import own_experiment

OWN = """
title: Two together
columns: {alone: {elmo.placement: none}}
ensembles: {pair: alone}
seeds: [1, 2]
paper: {snli: {alone: 88.7, pair: 89.3}}
"""


@pytest.fixture
def experiment(bench: Callable[..., int], snli_folder: Path, tmp_path: Path) -> Any:
    """Its exit status."""
    own = own_experiment(tmp_path, OWN)
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    return lambda *more: bench(
        *SMALL, "training.max_epochs=1", *folders, "experiment=own", own, *more
    )


def test_an_experiment_combines_the_seeds_of_a_column(
    experiment: Callable[..., int],
    result: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with monkeypatch.context() as patch:
        patch.setattr(SNLI, "combine", Task.combine)
        assert experiment() == 2
    said = capsys.readouterr()
    assert "snli · pair · 2 runs: runs of snli cannot be combined: its task does not" in said.err
    assert "missing" in said.out  # the runs are shown all the same
    assert experiment() == 0
    said = capsys.readouterr()
    assert "2 runs: 2 finished; then 1 ensemble of them" in said.out
    assert "snli · pair · 2 runs: dev accuracy" in said.err
    assert "paper 89.3" in said.out
    assert experiment() == 0
    said = capsys.readouterr()
    assert "pair · 2 runs" not in said.err  # it is there
    assert "paper 89.3" in said.out

    (path,) = (tmp_path / "runs" / ".experiments").iterdir()
    manifest = json.loads(path.read_text())
    assert manifest["columns"] == ["alone", "pair"]
    *alone, cell = manifest["cells"]
    assert cell["run_id"] == ensemble_id(c["run_id"] for c in alone)
    assert cell["command"].startswith("python -m bench.ensemble ")
    made = result(tmp_path / "runs" / "snli" / cell["run_id"])
    assert {each["run_id"] for each in made["ensemble"]} == {c["run_id"] for c in alone}


def test_an_ensemble_of_runs_that_were_repeated_is_made_again(
    experiment: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert experiment() == 0
    (path,) = (tmp_path / "runs").glob("snli/ensemble-*/result.json")
    made = json.loads(path.read_text())
    path.write_text(path.read_text().replace(made["ensemble"][0]["head"], "0" * 64))
    capsys.readouterr()
    assert experiment("plan=true") == 0
    assert "\npython -m bench.ensemble " in capsys.readouterr().out
    assert experiment() == 0
    assert "snli · pair · 2 runs: dev accuracy" in capsys.readouterr().err
    assert json.loads(path.read_text())["ensemble"] == made["ensemble"]


def test_seeds_that_draw_an_encoder_each_are_combined(
    bench: Callable[..., int], snli_folder: Path, tmp_path: Path
) -> None:
    columns = "columns: {alone: {encoder: random_by_seed, elmo.placement: input}}"
    own = own_experiment(tmp_path, OWN.replace("columns: {alone: {elmo.placement: none}}", columns))
    small = [word for word in SMALL if not word.startswith(("encoder", "elmo."))]
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    assert bench(*small, "training.max_epochs=1", *folders, "experiment=own", own) == 0
    (path,) = (tmp_path / "runs").glob("snli/ensemble-*/result.json")
    members = json.loads(path.read_text())["ensemble"]
    assert sorted(each["seed"] for each in members) == [1, 2]
    found = [path.parents[1] / each["run_id"] for each in members]
    assert sorted(all_seeds(found[0])) == sorted(found)


def test_what_hangs_on_an_ensemble_goes_with_its_column(
    bench: Callable[..., int], snli_folder: Path, tmp_path: Path
) -> None:
    columns = "columns: {none: {elmo.placement: none}, alone: {}}\nbaseline: pair"
    own = own_experiment(tmp_path, OWN.replace("columns: {alone: {elmo.placement: none}}", columns))
    small = [word for word in SMALL if not word.startswith("elmo.")]
    words = [*small, f"data.dir={snli_folder}", "experiment=own", own, "plan=slurm"]
    assert bench(*words, "~experiment.columns.alone") == 0


def test_a_plan_has_the_ensemble(
    experiment: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert experiment("plan=true") == 0
    said = capsys.readouterr().out
    assert "2 runs: 2 new; then 1 ensemble of them" in said
    assert "\npython -m bench.ensemble " in said
    assert experiment("plan=true", "seed=3") == 0
    shown = capsys.readouterr()
    assert "column 'pair' is left out: it takes two seeds or more" in shown.err
    assert "bench.ensemble" not in shown.out
