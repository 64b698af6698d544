"""Experiments that score their runs under noise, too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.records import noisy_parts
from bench.report.__main__ import main as make_report
from bench.report.report import collect
from tests.bench.small import SMALL
from tests.bench.sweep.conftest import own_experiment

OWN = """
title: Misspelled
view: noise
columns: {none: {elmo.placement: none}, ELMo: {elmo.placement: input}}
noise: {kinds: [typos, case], shares: [0.5]}
"""


def test_an_experiment_scores_its_runs_under_noise(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words = [*SMALL, "training.max_epochs=1", f"data.dir={snli_folder}", "experiment=own"]
    words += [f"paths.runs={tmp_path / 'runs'}", own_experiment(tmp_path, OWN)]
    assert bench(*words, "plan=true") == 0
    said = capsys.readouterr().out
    assert "2 runs: 2 new; then 4 evaluations under noise" in said
    assert said.count("python -m bench.evaluate ") == 4
    assert bench(*words) == 0
    said = capsys.readouterr().err
    assert "snli · none · seed 1 · typos 50 %: dev accuracy" in said
    written = {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").rglob("result.json")}
    assert len(written) == 6
    assert bench(*words) == 0
    assert written == {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").rglob("result.json")}

    report = collect([tmp_path / "runs"])
    (grid,) = report.grids  # the evaluations stand in no table besides
    assert (grid.baseline, grid.experiment.columns) == ("clean", ["clean", "50 %"])
    rows = [noisy_parts(row) for row in grid.experiment.rows]
    assert sorted(rows) == sorted(
        ("snli", system, kind) for system in ("none", "ELMo") for kind in ("typos", "case")
    )
    for row in grid.experiment.rows:
        clean, noisy = grid.row(row)
        assert clean is not None
        assert noisy is not None
        assert noisy.against is not None
        assert noisy.against.examples == 20
        difference = noisy.runs[0].score("dev") - clean.runs[0].score("dev")  # type: ignore[operator]
        assert noisy.against.difference == pytest.approx(difference)
        command = noisy.cells[0].command
        assert "--noise" in command
        assert "--split dev" in command
        tested = noisy.runs[0].result.evaluation
        assert tested is not None
        assert tested.run_id == clean.runs[0].id
    make_report([str(tmp_path / "runs"), "--format", "html", "--format", "tex"])
    assert (tmp_path / "runs" / "report" / "figures" / "own-1.png").is_file()
    text = (tmp_path / "runs" / "report" / "report.tex").read_text()
    assert r"SNLI $\cdot$ none $\cdot$ typos & " in text
    assert text.count("SNLI: majority class") == 1  # once for the task, not for each row
    (manifest,) = (tmp_path / "runs" / ".experiments").iterdir()
    assert json.loads(manifest.read_text())["baseline"] == "clean"


@pytest.mark.parametrize(
    ("noise", "told"),
    [
        ("{kinds: [typos], shares: [0.1, 0.2]}", "then 4 evaluations under noise"),
        ("{shares: [0.1]}", "experiment.noise.kinds=[]: name one or more"),
        ("null", "2 runs: 2 new\n"),
    ],
)
def test_noise_comes_to_an_experiment_that_had_none(
    noise: str,
    told: str,
    bench: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("experiment=encoders", "task=ner", f"experiment.noise={noise}", "plan=true")
    columns = "experiment.without=[columns.static,columns.CoVe,columns.ELMo]"
    assert bench(*words, columns, f"paths.runs={tmp_path}") == (2 if "[]" in told else 0)
    said = "".join(capsys.readouterr())
    assert told in said
    assert ("under noise" in said) == ("then" in told)


def test_noise_does_not_go_with_ensembles(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["experiment=own", own_experiment(tmp_path, OWN), f"paths.runs={tmp_path}", "plan=true"]
    assert bench(*words, "+experiment.ensembles.together=ELMo", "seed=1,2") == 2
    assert "does not go with experiment.ensembles" in capsys.readouterr().err
