"""Sweeps: what one run's failure, a kill or a second process does to the others."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from bench.run.record import Record
from tasks.snli.task import SNLI
from tests.bench.small import SMALL

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]


@pytest.fixture
def arguments(snli_folder: Path, tmp_path: Path) -> list[str]:
    runs = f"paths.runs={tmp_path / 'runs'}"
    return [*SMALL, "training.max_epochs=2", f"data.dir={snli_folder}", runs]


@pytest.fixture
def sweep(
    bench: Callable[..., int], arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> Sweep:
    """`sweep("seed=1,2")`: with -m, over runs of a second; returns the exit status."""
    monkeypatch.setenv("COLUMNS", "300")
    return lambda *more: bench("-m", *arguments, *more)


@pytest.fixture
def results(tmp_path: Path) -> Callable[[], dict[str, dict[str, Any]]]:
    """result.json by run id."""

    def read() -> dict[str, dict[str, Any]]:
        paths = (tmp_path / "runs").glob("snli/*/result.json")
        return {path.parent.name: json.loads(path.read_text()) for path in paths}

    return read


def lines(text: str, *parts: str) -> list[str]:
    return [line for line in text.splitlines() if all(part in line for part in parts)]


Results = Callable[[], dict[str, dict[str, Any]]]
NAN = ("training.optimizer.lr=1e30,1e-3", "training.clip_norm=null", "elmo.placement=none")


def test_a_failed_run_does_not_stop_the_others(
    sweep: Sweep, results: Results, capsys: Shown
) -> None:
    assert sweep(*NAN) == 2
    shown = capsys.readouterr().out
    assert lines(shown, "lr=1e+30 · seed 1", "failed", "the loss is", "training.optimizer.lr")
    assert lines(shown, "lr=0.001 · seed 1", "finished", "dev accuracy")
    assert sorted(result["status"] for result in results().values()) == ["failed", "finished"]
    assert sweep(*NAN) == 2
    shown = capsys.readouterr().out
    assert "2 runs: 1 interrupted, 1 finished" in shown or "1 failed, 1 finished" in shown
    assert lines(shown, "lr=0.001 · seed 1", "finished earlier")


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


OWN = """
title: Does ELMo help?
source: A paper
columns: {without: {elmo.placement: none}, with: {x: 0.5, elmo.placement: input}}
baseline: without
paper: {snli: {with: 88.8}, srl: {with: 1}}
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "own.yaml").write_text(OWN)
    return f"hydra.searchpath=[{tmp_path}]"


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
        "data": "open",
        "encoder": "random",
    }
    assert {cell["run_id"] for cell in cells} == set(results())
    assert [(c["row"], c["column"], c["seed"], c["task"], c["x"]) for c in cells] == [
        ("snli", "without", 1, "snli", None),
        ("snli", "with", 1, "snli", 0.5),
    ]
    assert "elmo.placement=input" in cells[1]["command"].split()


@pytest.mark.parametrize("other_finishes", [True, False])
def test_a_run_of_another_process_is_waited_for(
    sweep: Sweep, results: Results, tmp_path: Path, capsys: Shown, other_finishes: bool
) -> None:
    """The first of two runs is held by another; it ends with a result, or is killed."""
    sweep("seed=1,2", "elmo.placement=none")
    capsys.readouterr()
    first, second = (id for id, _ in sorted(results().items(), key=lambda item: item[1]["seed"]))
    folder, kept = tmp_path / "runs" / "snli" / first, tmp_path / "kept.json"
    shutil.move(folder / "result.json", kept)
    (tmp_path / "runs" / "snli" / second / "result.json").unlink()
    held = threading.Event()

    def another() -> None:
        with Record(folder).lock():
            held.set()
            while second not in results():
                time.sleep(0.01)
            if other_finishes:
                shutil.copy(kept, folder / "result.json")

    thread = threading.Thread(target=another)
    thread.start()
    held.wait()
    assert sweep("seed=1,2", "elmo.placement=none") == 0
    thread.join()
    shown = capsys.readouterr()
    assert "1 running elsewhere" in shown.out
    assert "waiting for 1 run of another process" in shown.err
    assert bool(lines(shown.out, "seed 1", "by another process")) == other_finishes
    assert json.loads(kept.read_text())["metrics"] == results()[first]["metrics"]


def test_sigterm_stops_the_sweep_not_a_run(
    sweep: Sweep, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: SNLI, *_: Any) -> list[Any]:
        os.kill(os.getpid(), signal.SIGTERM)
        return []

    monkeypatch.setattr(SNLI, "predict", killed)
    assert sweep("seed=1,2", "elmo.placement=none") == 128 + signal.SIGTERM
    assert results() == {}
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


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


@pytest.mark.slow
def test_everything_works_with_every_task(bench: Sweep, tmp_path: Path) -> None:
    assert bench("experiment=smoke", "trainer=cpu", f"paths.runs={tmp_path}") == 0


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def table(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line[:1] in "┃│"]


@pytest.mark.slow
def test_killed_three_times_the_table_is_the_same(
    bench: Sweep, arguments: list[str], own: str, tmp_path: Path
) -> None:
    command = ["experiment=own", own, *arguments, "seed=1,2", "training.max_epochs=8"]
    whole = started(*command, f"paths.runs={tmp_path / 'whole'}")
    expected = table(whole.communicate()[0])
    assert len(expected) > 2
    drawn = random.Random(0)
    checkpoints = lambda: list((tmp_path / "runs").glob("snli/*/checkpoints/last.ckpt"))  # noqa: E731
    for _ in range(3):
        before = {(p, p.stat().st_mtime_ns) for p in checkpoints()}
        process = started(*command)
        while {(p, p.stat().st_mtime_ns) for p in checkpoints()} == before:
            assert process.poll() is None, "done before it could be killed"
            time.sleep(0.01)
        time.sleep(drawn.random())
        process.send_signal(signal.SIGKILL)
        process.communicate()
    last = started(*command)
    assert table(last.communicate()[0]) == expected
    assert last.returncode == 0


@pytest.mark.slow
def test_two_sweeps_at_once_share_the_work(arguments: list[str], tmp_path: Path) -> None:
    command = ["-m", *arguments, "seed=1,2,3,4", "elmo.placement=none"]
    both = [started(*command) for _ in range(2)]
    shown = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert table(shown[0]) == table(shown[1])
    logs = [path.read_text() for path in (tmp_path / "runs").glob("snli/*/run.log")]
    assert [log.count("epoch 1: ") for log in logs] == [1] * 4


@pytest.mark.slow
def test_runs_of_several_processes_follow_each_other(
    sweep: Sweep, results: Callable[[], dict[str, dict[str, Any]]], capsys: Shown
) -> None:
    """Each in a process of its own: Lightning leaves behind what would keep the next from it."""
    words = ("trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2", "elmo.placement=none")
    assert sweep("seed=1,2", *words) == 0
    made = results().values()
    assert sorted(each["seed"] for each in made) == [1, 2]
    assert all(each["provenance"][0]["world_size"] == 2 for each in made)
    assert capsys.readouterr().err.count("dev accuracy") == 2


@pytest.mark.slow
def test_a_failure_of_several_processes_is_one_line(sweep: Sweep, capsys: Shown) -> None:
    words = ("trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2", "elmo.placement=none")
    assert sweep("seed=1", *words, "word_vectors=/no/such/file") == 2
    (line,) = [x for x in capsys.readouterr().err.splitlines() if x.startswith("[1/1]")]
    assert "/no/such/file" in line
