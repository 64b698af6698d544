"""Sweeps and processes: another one's run, signals, kills, two sweeps at once, runs of several."""

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
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.run.record import Record
from tasks.snli.task import SNLI
from tests.processes import wait_for

Sweep = Callable[..., int]
Results = Callable[[], dict[str, dict[str, Any]]]
Shown = pytest.CaptureFixture[str]


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
            wait_for(lambda: second in results())
            if other_finishes:
                shutil.copy(kept, folder / "result.json")

    thread = threading.Thread(target=another, daemon=True)
    thread.start()
    assert held.wait(120)
    assert sweep("seed=1,2", "elmo.placement=none") == 0
    thread.join()
    shown = capsys.readouterr()
    assert "1 running elsewhere" in shown.out
    assert "waiting for 1 run of another process" in shown.err
    said = [line for line in shown.out.splitlines() if "seed 1" in line]
    assert any("by another process" in line for line in said) == other_finishes
    assert json.loads(kept.read_text())["metrics"] == results()[first]["metrics"]


def test_a_forced_run_that_another_process_did_not_repeat_is_repeated_here(
    sweep: Sweep, results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep("seed=1", "elmo.placement=none")
    ((run_id, before),) = results().items()
    with ExitStack() as another:
        another.enter_context(Record(tmp_path / "runs" / "snli" / run_id).lock())
        monkeypatch.setattr(Record, "wait", lambda record: another.close())
        assert sweep("seed=1", "elmo.placement=none", "force=true") == 0
    assert results()[run_id] != before


def test_a_run_that_another_process_gave_up_and_removed_is_done_here(
    sweep: Sweep, results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep("seed=1", "elmo.placement=none")
    (run_id,) = results()
    (tmp_path / "runs" / "snli" / run_id / "result.json").unlink()
    wait = Record.wait
    with ExitStack() as another:
        another.enter_context(Record(tmp_path / "runs" / "snli" / run_id).lock())

        def removed(record: Record) -> None:
            record.remove()
            another.close()
            wait(record)

        monkeypatch.setattr(Record, "wait", removed)
        assert sweep("seed=1", "elmo.placement=none") == 0
    assert results()[run_id]["status"] == "finished"


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
    arguments: list[str], own: str, tmp_path: Path
) -> None:
    command = ["experiment=own", own, *arguments, "seed=1,2", "training.max_epochs=8"]
    whole = started(*command, f"paths.runs={tmp_path / 'whole'}")
    expected = table(whole.communicate()[0])
    assert len(expected) > 2
    drawn = random.Random(0)

    def checkpoints() -> set[tuple[Path, int]]:
        found = (tmp_path / "runs").glob("snli/*/checkpoints/last.ckpt")
        return {(path, path.stat().st_mtime_ns) for path in found}

    def goes_on(process: subprocess.Popen[str], before: set[tuple[Path, int]]) -> bool:
        return checkpoints() != before or process.poll() is not None

    for kill in range(3):
        before = checkpoints()
        process = started(*command)
        wait_for(partial(goes_on, process, before))
        if process.poll() is not None:
            assert kill > 0, "done before it could be killed"
            break
        time.sleep(drawn.random() / 2)
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
    sweep: Sweep, results: Results, capsys: Shown
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
    (line,) = [x for x in capsys.readouterr().err.splitlines() if x.startswith("snli · ")]
    assert "/no/such/file" in line
