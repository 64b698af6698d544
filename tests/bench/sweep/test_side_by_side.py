"""Runs at once, each a command of its own: what they say, how they end, and what they give."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from bench.errors import BusyError, RunError
from bench.run.record import Record
from bench.sweep import apart
from elmo_core.store import shards
from tests.processes import wait_for

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]


@pytest.fixture
def program(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Callable[..., int]]:
    """`program("…")`: a sweep whose runs are this program, two at once."""

    def instead(text: str) -> Callable[..., int]:
        monkeypatch.setattr(apart, "program", lambda: [sys.executable, "-c", text])
        monkeypatch.setattr(apart, "possible", lambda: False)
        return lambda *words: sweep("elmo.placement=none", "hydra.launcher.at_once=2", *words)

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

    def started() -> list[int]:
        return [int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal()]

    def interrupt() -> None:
        wait_for(lambda: len(started()) == 2)
        pids.extend(started())
        for pid in (*(pids if number == signal.SIGINT else ()), os.getpid()):
            os.kill(pid, number)

    pids: list[int] = []
    signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt, daemon=True)
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
    monkeypatch.setattr(apart, "HydraConfig", MagicMock())
    go_on = tmp_path / "go on"
    program(
        "import os, sys, time\n"
        "print('one\\ntwo\\nthr', end='', file=sys.stderr, flush=True)\n"
        f"while not os.path.exists(r'{go_on}'): time.sleep(0.01)\n"
        "print('ee\\nfour', file=sys.stderr); sys.exit(3)"
    )
    command = apart.Command(["seed=1"], Record(tmp_path / "run"))
    wait_for(lambda: command.last_line() == "two")
    go_on.touch()
    with pytest.raises(apart.CommandFailed, match="exit status 3: four"):
        command.result()


def test_what_is_said_in_no_encoding_hides_nothing(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a library in C, or where the disk was full in the middle of a letter."""
    monkeypatch.setattr(apart, "HydraConfig", MagicMock())
    program("import os, sys; os.write(2, b'caf\\xe9\\nerror: no coffee\\n'); sys.exit(2)")
    with pytest.raises(RunError, match="no coffee"):
        apart.run_apart(["seed=1"], Record(tmp_path / "run"))


def test_elmo_bench_starts_elmo_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m bench` would find a package `bench` of the working folder first."""
    script = tmp_path / "elmo-bench"
    script.touch()
    monkeypatch.setattr(sys, "argv", [str(script), "-m", "seed=1,2"])
    assert apart.program() == [sys.executable, str(script)]
    monkeypatch.setattr(sys, "argv", ["/x/bench/__main__.py", "-m", "seed=1,2"])
    assert apart.program() == [sys.executable, "-m", "bench"]


def test_a_run_of_another_process_is_known_by_what_its_command_says(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other may have ended by now."""
    monkeypatch.setattr(apart, "HydraConfig", MagicMock())
    record = Record(tmp_path / "run")
    said = f"error: another process is at work on {record.folder}"
    program(f"import sys; print('{said}', file=sys.stderr); sys.exit(2)")
    with pytest.raises(BusyError):
        apart.run_apart(["seed=1"], record)


def test_runs_side_by_side_are_the_runs_one_after_another(
    sweep: Sweep, tmp_path: Path, capsys: Shown, threads: Callable[[int], None]
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

    threads(1)
    assert sweep(*words, f"paths.runs={tmp_path / 'in turn'}") == 0
    in_turn = sorted(
        path.relative_to(tmp_path / "in turn") for path in tmp_path.glob("in turn/snli/*")
    )
    assert len(in_turn) == 2
    for run in in_turn:
        for name in ("predictions.jsonl", "head.safetensors", "vocabulary.json"):
            made = (tmp_path / place / run / name for place in ("runs", "in turn"))
            assert len({path.read_bytes() for path in made}) == 1
