"""As many runs at once as cores and memory: how many, in what order, and how they end."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from omegaconf import DictConfig
from rich.console import Console

from bench import console
from bench.errors import BusyError
from bench.run.record import Record
from bench.sweep import apart, board, cores
from bench.sweep.job import Cell, Outcome
from bench.sweep.side_by_side import Running, Slot
from elmo_core.store import shards
from tests.bench.sweep.pretended import pretend
from tests.bench.terminal import Terminal

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]
GB = 10**9


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`machine(4, gb=64)`: what is there of this machine for the tests to come."""

    def made(number: int, gb: float = 64, threads: str | None = None) -> None:
        monkeypatch.setattr(cores, "usable_cores", lambda: number)
        monkeypatch.setattr(cores, "free_memory", lambda: gb * GB)
        monkeypatch.delenv(cores.THREADS, raising=False)
        if threads is not None:
            monkeypatch.setenv(cores.THREADS, threads)

    return made


@pytest.fixture
def jobs(configured: Callable[..., DictConfig]) -> Callable[..., Any]:
    """`jobs(3, "trainer=gpu")`: so many runs of this configuration."""
    return lambda number, *words: [SimpleNamespace(cfg=configured(*words))] * number


@pytest.fixture
def swept(sweep: Sweep, machine: Callable[..., None]) -> Sweep:
    """A sweep of small runs on two cores. It comes after `sweep`, which makes it one core."""
    machine(2)
    return lambda *words: sweep("elmo.placement=none", *words)


# -- how many


@pytest.mark.parametrize(
    ("there", "keys", "runs", "at_once"),
    [
        ({"number": 4}, {}, 9, 4),
        ({"number": 4}, {}, 3, 3),
        ({"number": 4, "gb": 11}, {}, 9, 2),
        ({"number": 4, "gb": 3}, {}, 9, 1),
        ({"number": 4, "gb": 11}, {"gb_per_run": 1.5}, 9, 4),
        ({"number": 7, "threads": "2"}, {}, 9, 3),
        ({"number": 4, "threads": "8"}, {}, 9, 1),
        ({"number": 4, "threads": "many"}, {}, 9, 4),
        ({"number": 1}, {"at_once": 3}, 9, 3),
        ({"number": 4}, {"at_once": 1}, 9, 1),
        ({"number": 4}, {}, 1, 1),
        ({"number": 4}, {}, 0, 1),
    ],
)
def test_as_many_as_there_are_cores_memory_and_runs(
    machine: Any, jobs: Any, there: dict[str, Any], keys: dict[str, Any], runs: int, at_once: int
) -> None:
    machine(**there)
    queue = cores.queue_of(jobs(runs, "trainer=cpu"), **{"at_once": None, "gb_per_run": 4, **keys})
    assert queue.at_once == at_once
    threads = int(there["threads"]) if there.get("threads") == "2" else 1
    assert queue.threads == (threads if at_once > 1 else None)


@pytest.mark.parametrize(
    ("words", "at_once"),
    [
        (["trainer.accelerator=auto"], 1),
        (["trainer.accelerator=gpu"], 1),
        (["trainer=cpu"], 2),
        (["trainer=cpu", "debug=true"], 1),
        (["trainer=cpu", "trainer.devices=2"], 1),
    ],
)
def test_runs_on_a_gpu_or_of_several_processes_follow_each_other(
    machine: Any, jobs: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], at_once: int
) -> None:
    machine(2)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    assert cores.queue_of(jobs(2, *words), None, 4).at_once == at_once
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert cores.queue_of(jobs(2, "trainer=auto"), None, 4).at_once == 2


@pytest.mark.parametrize("word", ["at_once=0", "at_once=two", "gb_per_run=-1"])
def test_a_key_that_makes_no_sense_starts_nothing(
    swept: Sweep, tmp_path: Path, capsys: Shown, word: str
) -> None:
    for more in ((), ("plan=true",)):
        assert swept("seed=1,2", f"hydra.launcher.{word}", *more) == 2
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith(f"error: hydra.launcher.{word}: must be ")
    assert not list(tmp_path.glob("runs/snli/*"))


# -- one after another


def test_other_sweepers_have_hydras_own_launcher(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search of Hydra's own does not name its trials."""
    launcher = cores.Cores()
    monkeypatch.setattr(launcher.basic, "setup", lambda **_: None)
    monkeypatch.setattr(launcher.basic, "launch", lambda *given: given)
    launcher.setup(hydra_context=None, task_function=None, config=None)  # type: ignore[arg-type]
    trials = [["seed=1"], ["seed=2"]]
    assert launcher.launch(trials, 7) == (trials, 7)


# -- side by side


def test_runs_wait_for_a_core_and_have_one_thread(
    swept: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    commands = pretend(monkeypatch, "OMP_NUM_THREADS")
    assert swept("seed=3,1,8,2") == 2
    assert commands.noted == ["seed 3 1", "seed 1 1", "seed 8 1", "seed 2 1"]
    assert commands.most == 2
    first, *said = capsys.readouterr().err.splitlines()
    assert first == "4 runs, 2 at once, a thread each; hydra/launcher=basic does one after another"
    assert said[-1] == "[4/4] snli · seed 8: seed 8 is nothing, 0 s"


def test_short_memory_is_told(
    swept: Sweep, machine: Any, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    commands = pretend(monkeypatch)
    machine(4, gb=9)
    assert swept("seed=3,1,8,2", "hydra.launcher.gb_per_run=4") == 2
    assert commands.most == 2
    assert capsys.readouterr().err.startswith(
        "4 runs, 2 at once, a thread each (9.0 GB of memory are free, hydra.launcher.gb_per_run=4);"
    )


def test_a_plan_counts_the_runs_at_once(
    swept: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    """Earlier runs count if they had as many threads as each will have. Two epochs a run."""
    known = lambda _: [500.0] if torch.get_num_threads() == 1 else []  # noqa: E731
    monkeypatch.setattr("bench.sweep.forecast.earlier", known)
    monkeypatch.setattr("bench.sweep.forecast.tried", lambda *_: 100.0)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        assert swept("seed=1,2,3", "plan=true") == 0
        shown = capsys.readouterr().out
        assert "time: at most 33 min for 3 runs, 2 at once, a thread each, if none" in shown
        assert "measured in 1 earlier run on this machine" in shown
        assert swept("seed=1,2,3", "plan=true", "hydra/launcher=basic") == 0
        shown = capsys.readouterr().out
        assert "time: at most 10 min for 3 runs, one after another, if none" in shown
        assert "estimated now" in shown
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


# -- what commands say, and how they end


@pytest.fixture
def program(swept: Sweep, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Callable[..., int]]:
    """`program("…")`: a sweep whose runs are this program; its words are `sys.argv`."""

    def instead(text: str) -> Callable[..., int]:
        monkeypatch.setattr(apart, "_program", lambda: [sys.executable, "-c", text])
        return swept

    return instead


def test_a_run_that_is_killed_does_not_stop_the_others(
    program: Any, capsys: Shown, tmp_path: Path
) -> None:
    """As the system does where memory runs out. What the other says is told, too."""
    text = (
        "import os, sys\n"
        "if 'seed=1' in sys.argv: os.kill(os.getpid(), 9)\n"
        "try: {}['key']\n"
        "except KeyError: raise ZeroDivisionError('nothing\\nto divide')"
    )
    assert program(text)("seed=1,2") == 1
    said = capsys.readouterr().err
    assert "seed 1: killed (SIGKILL), most likely since memory ran out: with fewer runs" in said
    (log,) = tmp_path.glob("runs/snli/*/run.log")
    assert f"seed 2: ZeroDivisionError: nothing (traceback in {log})" in said
    assert log.read_text().startswith("Traceback")
    assert "KeyError: 'key'" in log.read_text()
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_the_runs_at_once(
    program: Any, capsys: Shown, tmp_path: Path, number: signal.Signals
) -> None:
    """One line, and the signal's exit status; a terminal sends Ctrl-C to the runs, too."""
    text = (
        "import os, sys, time\n"
        "from bench.interrupts import end_with_sweep, interruptible\n"
        "with interruptible():\n"
        "    end_with_sweep()\n"
        f"    open(r'{tmp_path}/' + str(os.getpid()), 'w').close()\n"
        "    time.sleep(60)"
    )

    def interrupt() -> None:
        while len(started := [int(p.name) for p in tmp_path.iterdir() if p.name.isdecimal()]) < 2:
            time.sleep(0.01)
        pids.extend(started)
        for pid in (*(started if number == signal.SIGINT else ()), os.getpid()):
            os.kill(pid, number)

    pids: list[int] = []
    signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    began = time.monotonic()
    assert program(text)("seed=1,2,3") == 128 + number
    thread.join()
    assert time.monotonic() - began < 30
    assert capsys.readouterr().err.splitlines()[-1] == "interrupted; the same command goes on"
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_last_line_of_a_command_is_read_while_it_goes_on(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "_folders", list)
    go_on = tmp_path / "go on"
    program(
        "import os, sys, time\n"
        "print('one\\ntwo\\nthr', end='', file=sys.stderr, flush=True)\n"
        f"while not os.path.exists(r'{go_on}'): time.sleep(0.01)\n"
        "print('ee\\nfour', file=sys.stderr); sys.exit(3)"
    )
    command = apart.Command(["seed=1"], Record(tmp_path / "run"))
    while command.last_line() != "two":
        time.sleep(0.01)
    go_on.touch()
    with pytest.raises(apart.CommandFailed, match="exit status 3: four"):
        command.result()


def test_elmo_bench_starts_elmo_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m bench` would find a package `bench` of the working folder first."""
    script = tmp_path / "elmo-bench"
    script.touch()
    monkeypatch.setattr(sys, "argv", [str(script), "-m", "seed=1,2"])
    assert apart._program() == [sys.executable, str(script)]
    monkeypatch.setattr(sys, "argv", ["/x/bench/__main__.py", "-m", "seed=1,2"])
    assert apart._program() == [sys.executable, "-m", "bench"]


def test_a_run_of_another_process_is_known_by_what_its_command_says(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other may have ended by now."""
    monkeypatch.setattr(apart, "_folders", list)
    record = Record(tmp_path / "run")
    said = f"error: another process is at work on {record.folder}"
    program(f"import sys; print('{said}', file=sys.stderr); sys.exit(2)")
    with pytest.raises(BusyError):
        apart.run_apart(["seed=1"], record)


# -- what is shown


def started(seed: int) -> Running:
    job: Any = SimpleNamespace(cells=[Cell("ner", "none", seed, ())], record=None)
    return Running(job, Slot({}), [f"seed={seed}"])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pretend(monkeypatch)
    now = [0.0]
    monkeypatch.setattr(board.time, "monotonic", lambda: now[0])
    return now


def test_without_a_terminal_a_line_now_and_then_says_what_runs(
    clock: list[float], capsys: Shown
) -> None:
    running = [started(1), started(2)]
    with board.Board(running, runs=4, slots=2) as told:
        told.tell()
        clock[0] = 64.0
        told.ended(running.pop(0), Outcome("finished", "dev F1 80.12", seconds=64))
        running.append(started(3))
        clock[0] = 104.0
        told.tell()
        told.tell()
        running *= 3
        clock[0] = 140.0
        told.tell()
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == [
        "[1/4] ner · none · seed 1: dev F1 80.12, 64 s; about 64 s left",
        "[1/4] running: ner · none · seed 2 (2 min), ner · none · seed 3 (40 s); about 64 s left",
    ]
    assert said[2].count("seed") == 4
    assert " and 2 more" in said[2]


def test_on_a_terminal_a_table_below_the_lines_says_what_runs(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = StringIO()
    screen = Console(file=written, force_terminal=True, width=60)
    for place in (board, console):
        monkeypatch.setattr(place, "SCREEN", screen)
    monkeypatch.setattr(board, "on_terminal", lambda: True)

    def seen() -> list[str]:
        terminal = Terminal(width=60)
        terminal.feed(written.getvalue().replace("\n", "\r\n"))  # as a terminal's driver does
        return [line.rstrip() for line in terminal.lines if line.strip()]

    running = [started(1), started(20)]
    with board.Board(running, runs=3, slots=2) as told:
        told.tell()
        clock[0] = 30.0
        told.tell()
        assert seen() == [
            "ner · none · seed 1   30 s  1 looks to go",
            "ner · none · seed 20  30 s  20 looks to go",
        ]
        told.ended(running.pop(0), Outcome("finished", "dev F1 80.12", seconds=30))
        told.tell()
        line = "[1/3] ner · none · seed 1: dev F1 80.12, 30 s; about 30 s left"
        assert "".join(seen()) == f"{line}ner · none · seed 20  30 s  20 looks to go"
    assert "".join(seen()) == line


# -- the real thing


def test_runs_side_by_side_are_the_runs_one_after_another(
    sweep: Sweep, tmp_path: Path, capsys: Shown
) -> None:
    """Both need the same features, and no sentence's are computed twice."""
    words = ["elmo.placement=input", "seed=1,2", f"features.dir={tmp_path / 'features'}"]
    assert sweep(*words, "hydra.launcher.at_once=2") == 0
    said = capsys.readouterr().err
    assert "2 runs, 2 at once, a thread each; hydra/launcher=basic does one after another" in said
    assert (
        len(re.findall(r"^\[[12]/2\] snli · seed [12]: dev accuracy [\d.]+, \d+ s", said, re.M))
        == 2
    )
    stored = [shards.read(path).keys for path in tmp_path.glob("features/*/*.safetensors")]
    sentences = [key for keys in stored for key in keys]
    assert len(sentences) == len(set(sentences)) > 0

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert sweep(*words, f"paths.runs={tmp_path / 'in turn'}") == 0
    finally:
        torch.set_num_threads(before)
    in_turn = sorted(
        path.relative_to(tmp_path / "in turn") for path in tmp_path.glob("in turn/snli/*")
    )
    assert len(in_turn) == 2
    for run in in_turn:
        for name in ("predictions.jsonl", "head.safetensors", "vocabulary.json"):
            made = (tmp_path / place / run / name for place in ("runs", "in turn"))
            assert len({path.read_bytes() for path in made}) == 1
