"""`bench.runs` on runs that failed, that are damaged, under noise, or with many metrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.runs import main
from tests.bench.made_up import Maker
from tests.bench.report.evaluations import evaluation
from tests.bench.verbs import status

Shown = pytest.CaptureFixture[str]


def runs(*words: str) -> int:
    return status(main, words)


def test_a_failed_run_of_an_own_encoder_is_found_by_its_keys(tmp_path: Path, capsys: Shown) -> None:
    run_id = Maker(tmp_path).run(seed=5, placement="input", status="failed")
    path = tmp_path / "snli" / run_id / "config.yaml"
    theirs = "elmo_core.encoders.random.random_elmo"
    path.write_text(path.read_text().replace(theirs, "my_package.MyEncoder"))
    folder = f"--runs={tmp_path}"
    assert runs("list", "seed=5", "status=failed", "placement=input", folder) == 0
    assert run_id in capsys.readouterr().out
    assert runs("show", run_id, folder) == 0
    assert f"--config-path={path.parent}" in capsys.readouterr().out
    assert runs("clean", "--yes", "seed=5", folder) == 0
    assert not path.exists()


def test_what_is_damaged_is_removed_where_it_is_named(tmp_path: Path, capsys: Shown) -> None:
    whole, damaged = (tmp_path / "snli" / Maker(tmp_path).run(seed=seed) for seed in (1, 2))
    (damaged / "result.json").write_text("{")
    folder = f"--runs={tmp_path}"
    assert runs("clean", "--yes", folder) == 0
    assert "damaged ones unless status=damaged names them" in capsys.readouterr().out
    assert damaged.exists()
    assert runs("clean", "--yes", "status=damaged", folder) == 0
    assert (whole.exists(), damaged.exists()) == (True, False)


def test_evaluations_under_noise_are_told_apart(tmp_path: Path, capsys: Shown) -> None:
    make = Maker(tmp_path / "runs")
    for share in (0.1, 0.2):
        evaluation(make, skill=0.5, noise=share)
    assert runs("list", f"--runs={make.folder}") == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[-3:] for line in lines if "-on-" in line) == [
        ["typos", "10", "%"],
        ["typos", "20", "%"],
    ]


def test_show_tells_every_metric(tmp_path: Path, capsys: Shown) -> None:
    run_id = Maker(tmp_path).run()
    path = tmp_path / "snli" / run_id / "result.json"
    content = json.loads(path.read_text())
    content["metrics"]["dev"]["recall/neutral"] = 12.345
    path.write_text(json.dumps(content))
    assert runs("show", run_id, f"--runs={tmp_path}") == 0
    assert "dev recall/neutral  12.35\n" in capsys.readouterr().out
