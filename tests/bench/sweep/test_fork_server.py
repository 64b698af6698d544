"""Processes forked from one that has imported torch: what they are, how they end, and with whom."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import IO

import pytest

from bench.sweep import fork_server
from bench.sweep.fork_server import Forked, ForkServer
from tests.processes import running, wait_for

pytestmark = pytest.mark.skipif(not fork_server.possible(), reason="no fork server without Linux")

# A command as `python -m bench` is one, but for its run. Importing Lightning takes time.
COMMAND = """
import atexit, os, sys, time, types
sys.modules["pytorch_lightning"] = types.ModuleType("pytorch_lightning")
from bench.interrupts import end_with_sweep, interruptible
from bench.sweep import fork_server
with interruptible():
    {before}
    fork_server.serve()
    end_with_sweep()
    atexit.register(print, "the end", file=sys.stderr)
    print(os.getpid(), os.getppid(), *sys.argv[1:], file=sys.stderr, flush=True)
    {run}
"""
SLEEPS = "time.sleep(60)"

Started = Callable[..., ForkServer]


@pytest.fixture
def started() -> Iterator[Started]:
    """`started("sys.exit(3)")`: a server whose runs do that."""
    servers = []

    def start(run: str = SLEEPS, before: str = "pass") -> ForkServer:
        text = COMMAND.format(run=run, before=before)
        servers.append(ForkServer([sys.executable, "-c", text], {"GIVEN": "here"}))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def said() -> Iterator[IO[str]]:
    with tempfile.TemporaryFile("w+") as file:
        yield file


def read(said: IO[str]) -> list[str]:
    said.seek(0)
    return said.read().splitlines()


def begun(said: IO[str]) -> tuple[int, int]:
    """Wait until a process has said its first line; return its number and its server's."""
    wait_for(lambda: "\n" in os.pread(said.fileno(), 1000, 0).decode())
    process, server, *_ = os.pread(said.fileno(), 1000, 0).split()
    return int(process), int(server)


# -- what they are


def test_a_process_has_its_words_variables_and_exit_handlers(
    started: Started, said: IO[str]
) -> None:
    server = started(
        "print(os.environ['GIVEN'], sorted(os.environ.keys() & {'ELMO_BENCH_SWEEP',"
        " 'ELMO_BENCH_FORK_SERVER'}), file=sys.stderr)"
    )
    process = server.start(["a=b c", "d=é"], said)
    assert process.wait() == process.wait(0) == process.poll() == 0
    first, second, last = read(said)
    assert re.fullmatch(rf"\d+ {server.process.pid} a=b c d=é", first)
    assert second == "here []"
    assert last == "the end"


def test_processes_are_told_apart(started: Started) -> None:
    """What each says goes to its own file, and whatever ends one is its own status."""
    server = started("time.sleep(float(sys.argv[1])); exec(sys.argv[2])")
    ends = {
        "sys.exit(3)": 3,
        "sys.exit('no')": 1,
        "{}['key']": 1,
        "os.kill(os.getpid(), 9)": -signal.SIGKILL,
        "os.kill(os.getpid(), 15)": 143,
        "os.kill(os.getpid(), 14)": -signal.SIGALRM,
        "pass": 0,
    }
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in ends]
        found = [
            server.start([str(0.1 * (number % 3)), end], file)
            for number, (end, file) in enumerate(zip(ends, files, strict=True))
        ]
        assert [process.wait(60) for process in found] == list(ends.values())
        for end, file in zip(ends, files, strict=True):
            assert end in read(file)[0]


def test_the_server_has_imported_torch_but_has_no_thread_and_asked_for_no_device(
    said: IO[str],
) -> None:
    """CUDA and threads do not survive a fork."""
    text = """
import os, sys
import torch
asked = []
for name in ("is_available", "device_count", "init", "_lazy_init", "current_device"):
    setattr(torch.cuda, name, lambda name=name: asked.append(name) or 0)
from bench.sweep import fork_server
fork_server.serve()
threads = os.listdir(f"/proc/{os.getppid()}/task")
print("pytorch_lightning" in sys.modules, "bench.cli" in sys.modules, asked, len(threads),
      file=sys.stderr)
"""
    server = ForkServer([sys.executable, "-c", text], {"OMP_NUM_THREADS": "1"})
    try:
        assert server.start([], said).wait() == 0
    finally:
        server.close()
    assert read(said) == ["True True [] 1"]


def test_an_import_that_fails_is_the_runs_matter(started: Started, said: IO[str]) -> None:
    """It fails there, too, and is told."""
    server = started("import pytorch_lightning", "sys.modules['pytorch_lightning'] = None")
    assert server.start([], said).wait() == 1
    assert "ModuleNotFoundError: import of pytorch_lightning halted" in "\n".join(read(said))


def test_where_no_process_can_be_made_the_run_says_so(started: Started, said: IO[str]) -> None:
    """And the server goes on."""
    refused = "os.fork = lambda: (_ for _ in ()).throw(OSError(12, 'Cannot allocate memory'))"
    server = started(before=refused)
    assert server.start([], said).wait() == server.start([], said).wait() == 2
    assert read(said) == ["error: no process for the run: Cannot allocate memory"] * 2


# -- how they end


@pytest.mark.parametrize(
    ("how", "status"), [(Forked.terminate, 143), (Forked.kill, -signal.SIGKILL)]
)
def test_a_process_is_stopped(
    started: Started, said: IO[str], how: Callable[[Forked], None], status: int
) -> None:
    server = started()
    process, other = server.start(["first"], said), server.start(["second"], sys.stderr)
    begun(said)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    assert process.poll() is None
    how(process)
    assert process.wait(30) == status
    how(process)  # which has ended: nothing happens
    assert other.poll() is None


def test_what_has_not_begun_is_stopped_at_once(started: Started, said: IO[str]) -> None:
    server = started(before="time.sleep(60)")  # the imports
    process, began = server.start([], said), time.monotonic()
    process.terminate()
    assert process.wait() == -signal.SIGKILL
    assert time.monotonic() - began < 30
    assert read(said) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_of_a_terminal_leaves_the_server_to_the_sweep(
    started: Started, said: IO[str], number: signal.Signals
) -> None:
    """Its processes have their own answer, which takes them time."""
    server = started()
    first = server.start([], said)
    begun(said)
    server.process.send_signal(number)
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(0.5)
    assert first.poll() is None


# -- with whom they end


def test_a_server_that_died_takes_its_processes_along_and_is_started_again(
    started: Started, said: IO[str]
) -> None:
    """As where memory ran out."""
    server = started()
    process = server.start([], said)
    number, first = begun(said)
    os.kill(first, signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL
    wait_for(lambda: not running(number))
    with tempfile.TemporaryFile("w+") as file:
        server.start([], file)
        assert begun(file)[1] != first


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "server.close()"])
def test_all_ends_with_the_sweep(said: IO[str], end: str) -> None:
    command = COMMAND.format(run=SLEEPS, before="pass")
    text = f"""
import os, sys
from bench.sweep.fork_server import ForkServer
server = ForkServer([sys.executable, "-c", {command!r}], {{}})
process = server.start([], sys.stderr)
sys.stdin.read()
{end}
"""
    sweep = subprocess.Popen([sys.executable, "-c", text], stderr=said, stdin=subprocess.PIPE)
    numbers = begun(said)
    assert all(map(running, numbers))
    sweep.communicate()
    wait_for(lambda: not any(map(running, numbers)), seconds=20)
