"""Sweeps: what one run's failure does to the others, how runs are grouped, experiments."""

from __future__ import annotations

import errno
import json
import shlex
import signal
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from unittest.mock import MagicMock

import pytest
from hydra.core.plugins import Plugins

from bench.interrupts import Interrupted
from bench.report.read import read
from tasks.snli.task import SNLI
from tests.bench.small import DIVERGING

Sweep = Callable[..., int]
Results = Callable[[], dict[str, dict[str, Any]]]
Shown = pytest.CaptureFixture[str]


def lines(text: str, *parts: str) -> list[str]:
    return [line for line in text.splitlines() if all(part in line for part in parts)]


NAN = (*DIVERGING, "training.optimizer.lr=1e6,1e-3", "elmo.placement=none")


def test_a_failed_run_does_not_stop_the_others(
    sweep: Sweep, results: Results, capsys: Shown
) -> None:
    assert sweep(*NAN) == 2
    shown = capsys.readouterr().out
    assert lines(shown, "lr=1000000.0 · seed 1", "failed", "try a lower training.optimizer.lr")
    assert lines(shown, "lr=0.001 · seed 1", "finished", "dev accuracy")
    assert sorted(result["status"] for result in results().values()) == ["failed", "finished"]
    assert sweep(*NAN) == 2
    shown = capsys.readouterr().out
    assert "2 runs: 1 interrupted, 1 finished" in shown or "1 failed, 1 finished" in shown
    assert lines(shown, "lr=0.001 · seed 1", "finished earlier")


def test_a_damaged_result_does_not_stop_the_others(
    sweep: Sweep, results: Results, tmp_path: Path, capsys: Shown
) -> None:
    words = ("elmo.placement=none", "seed=1,2")
    assert sweep(*words) == 0
    damaged, lost = sorted((tmp_path / "runs").glob("snli/*/result.json"))
    damaged.write_text("{")
    lost.unlink()
    assert sweep(*words, "plan=true") == 0
    assert "damaged" in capsys.readouterr().out
    assert sweep(*words) == 2
    assert lines(capsys.readouterr().out, "failed", f"{damaged}: damaged", "remove it")
    assert json.loads(lost.read_text())["status"] == "finished"
    assert sweep(*words, "force=true") == 0
    assert len(results()) == 2


def test_a_bug_is_status_1_and_leaves_its_traceback(
    sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    def divided(self: SNLI, *_: Any) -> None:
        raise ZeroDivisionError("nothing\nto divide")

    monkeypatch.setattr(SNLI, "predict", divided)
    assert sweep("seed=1,2", "elmo.placement=none") == 1
    shown = capsys.readouterr()
    assert len(lines(shown.out, "failed", "ZeroDivisionError: nothing (traceback in")) == 2
    assert "Traceback" not in shown.err
    for log in (tmp_path / "runs").glob("snli/*/run.log"):
        assert "in divided" in log.read_text()


def test_what_the_system_refuses_a_launcher_is_one_line(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    launcher = MagicMock()
    launcher.launch.side_effect = OSError(errno.EROFS, "Read-only file system", "runs/.sweeps")
    monkeypatch.setattr(Plugins, "instantiate_launcher", lambda *_, **__: launcher)
    assert sweep("seed=1", "elmo.placement=none") == 2
    assert lines(capsys.readouterr().out, "seed 1", "failed", "name another place (paths.runs=")


def test_seeds_group_by_themselves(sweep: Sweep, results: Results, capsys: Shown) -> None:
    assert sweep("seed=1,2,3", "elmo.placement=none,input", "training.optimizer.lr=0.01") == 0
    (row,) = lines(capsys.readouterr().out, "│ snli ")
    for placement in ("none", "input"):
        of = [r for r in results().values() if r["elmo"]["placement"] == placement]
        scores = [result["metrics"]["dev"]["accuracy"] for result in of]
        assert f"{fmean(scores):.2f} ± {stdev(scores):.2f} (n=3)" in row


def test_a_run_in_a_sweep_is_the_run_alone(
    sweep: Sweep, bench: Sweep, arguments: list[str], tmp_path: Path
) -> None:
    assert sweep("seed=1,2", "elmo.placement=input") == 0
    assert bench(*arguments, "seed=2", "elmo.placement=input", f"paths.runs={tmp_path}/alone") == 0
    (alone,) = (tmp_path / "alone").glob("snli/*")
    for name in ("predictions.jsonl", "head.safetensors", "vocabulary.json"):
        among = tmp_path / "runs" / "snli" / alone.name / name
        assert among.read_bytes() == (alone / name).read_bytes()


def test_the_same_choice_is_run_once(sweep: Sweep, results: Results, capsys: Shown) -> None:
    assert sweep("elmo.placement=none", "elmo.l2=0,1", "plan=true") == 0
    assert "1 run for 2 cells: 1 new" in capsys.readouterr().out
    assert results() == {}


def test_several_encoders_may_be_paths(
    bench: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("bench.sweep.sweeper.Sweep._forecast", lambda *_: None)
    words = ("task=pos", "encoder=random,~/a,./b c", "plan=true", f"paths.runs={tmp_path}/runs")
    assert bench("-m", *words) == 0
    shown = capsys.readouterr().out
    commands = [shlex.split(line) for line in shown.splitlines() if line.startswith("python")]
    given = [[w for w in command if w.startswith("encoder")] for command in commands]
    assert given == [
        ["encoder=random"],
        ["encoder=elmo", f"encoder.source='{tmp_path}/a'"],
        ["encoder=elmo", "encoder.source='b c'"],
    ]


def test_what_is_named_twice_is_there_once(
    sweep: Sweep, own: str, tmp_path: Path, capsys: Shown
) -> None:
    assert sweep("elmo.placement=none", "seed=1,1", "task=snli,snli", "elmo.l2=0,0") == 0
    assert "n=" not in capsys.readouterr().out
    for words in (["seed=1,1"], ["experiment.seeds=[1,1]"]):
        assert sweep("experiment=own", own, *words) == 0
        for path in (tmp_path / "runs" / ".experiments").iterdir():
            cells = json.loads(path.read_text())["cells"]
            assert [cell["column"] for cell in cells] == ["without", "with"]


def test_an_experiment_leaves_a_manifest_and_shows_the_papers_numbers(
    sweep: Sweep, own: str, results: Results, tmp_path: Path, capsys: Shown
) -> None:
    assert sweep("experiment=own", own) == 0
    shown = capsys.readouterr().out
    assert "own: Does ELMo help? (A paper)" in shown
    assert "88.8" in shown
    (path,) = (tmp_path / "runs" / ".experiments").iterdir()
    assert path.name.startswith("own-")
    manifest = json.loads(path.read_text())
    cells = manifest.pop("cells")
    command = manifest.pop("command")
    assert command.startswith("python -m bench ")
    assert "experiment=own" in command.split()
    for each in (command, *(cell["command"] for cell in cells)):
        assert shlex.split(each).count(own) == 1
    assert manifest == {
        "schema": 1,
        "experiment": "own",
        "title": "Does ELMo help?",
        "source": "A paper",
        "view": "table",
        "split": "dev",
        "baseline": "without",
        "rows": ["snli"],
        "columns": ["without", "with"],
        "paper": {"snli": {"with": 88.8}},
        "paper_encoders": [],
        "paper_split": None,
        "data": "open",
        "encoder": "random",
    }
    assert {cell["run_id"] for cell in cells} == set(results())
    assert [(c["row"], c["column"], c["seed"], c["task"], c["x"]) for c in cells] == [
        ("snli", "without", 1, "snli", None),
        ("snli", "with", 1, "snli", 0.5),
    ]
    assert "elmo.placement=input" in cells[1]["command"].split()


def test_another_baseline_is_a_table_beside_the_first(
    sweep: Sweep, own: str, tmp_path: Path
) -> None:
    assert sweep("experiment=own", own) == 0
    assert sweep("experiment=own", own, "experiment.baseline=with") == 0
    found = read(tmp_path / "runs").experiments
    assert {each.baseline for each in found} == {"without", "with"}


def test_a_reference_stays_one_in_the_command_of_an_experiment(
    sweep: Sweep, own: str, tmp_path: Path
) -> None:
    word = "training.patience=${training.max_epochs}"
    assert sweep("experiment=own", own, word) == 0
    (experiment,) = read(tmp_path / "runs").experiments
    for command in (experiment.command, *(cell.command for cell in experiment.cells)):
        assert word in shlex.split(command)


def test_an_experiment_in_a_folder_is_found_by_reports(
    sweep: Sweep, own: str, tmp_path: Path, capsys: Shown
) -> None:
    experiments = tmp_path / "experiment"
    (experiments / "some").mkdir()
    (experiments / "own.yaml").rename(experiments / "some" / "own.yaml")
    assert sweep("experiment=some/own", own, "experiment.split=test") == 0
    assert "88.8" in capsys.readouterr().out
    (experiment,) = read(tmp_path / "runs").experiments
    assert (experiment.name, experiment.split) == ("some/own", "test")
    assert experiment.id.startswith("some-own-")


def test_wandb_has_an_experiments_runs_in_one_group_and_is_closed(
    sweep: Sweep, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wandb

    groups = []
    init = wandb.init

    def noted(**settings: Any) -> Any:
        assert wandb.run is None, "the run before is not closed"
        groups.append(settings["group"])
        return init(**settings)

    monkeypatch.setattr(wandb, "init", noted)
    offline = ("logger=wandb", "logger.offline=true", "training.max_epochs=1")
    assert sweep("experiment=own", own, *offline) == 0
    assert groups == ["own", "own"]
    assert wandb.run is None


def test_everything_works_in_seconds(bench: Sweep, tmp_path: Path, capsys: Shown) -> None:
    arguments = ("experiment=smoke", "trainer=cpu", f"paths.runs={tmp_path}")
    assert bench(*arguments, "task=ner,sst5") == 0
    assert "4 runs: 4 new" in capsys.readouterr().out
    assert bench(*arguments, "task=ner,sst5") == 0
    assert "4 runs: 4 finished" in capsys.readouterr().out


def test_a_run_of_many_records_a_command_of_its_own(
    sweep: Sweep, results: Results, tmp_path: Path
) -> None:
    """With the folders of configuration that all of them were given."""
    word = f"hydra.searchpath=[{tmp_path}]"
    assert sweep("seed=1,2", "elmo.placement=none", word) == 0
    for result in results().values():
        *_, sitting = result["provenance"]
        assert {word, f"seed={result['seed']}"} <= {*shlex.split(sitting["command"])}


@pytest.mark.slow
def test_everything_works_with_every_task(bench: Sweep, tmp_path: Path) -> None:
    assert bench("experiment=smoke", "trainer=cpu", f"paths.runs={tmp_path}") == 0


def test_an_interruption_of_runs_that_are_repeated_says_so(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    def interrupted(*_: object) -> None:
        raise Interrupted(signal.SIGTERM)

    monkeypatch.setattr("bench.sweep.sweeper.Sweep._cells", interrupted)
    assert sweep("seed=1,2", "force=true") == 143
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("interrupted; the same command begins anew; without force=true what is")
