"""Locks: who has to wait for whom, with the system's own locks and with leases."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import SoftFileLease

from elmo_core import locks
from elmo_core.locks import lock, locked

Start = Callable[..., subprocess.Popen[str]]

HOLDER = """
import errno, os, sys, time
from elmo_core import locks

def refuse(*_):
    raise OSError(errno.ENOSYS, "Function not implemented")

locks.fcntl.flock = refuse
locks.LEASE = 1.0
held = locks.lock(sys.argv[1], wait=False, lost=lambda: os._exit(9))
print("held" if held else "busy", flush=True)
time.sleep(float(sys.argv[2]))
open(sys.argv[1] + ".ended", "w").close()
"""


@pytest.fixture(params=[None, errno.ENOSYS, errno.EOPNOTSUPP], ids=["flock", "ENOSYS", "NOTSUP"])
def refused(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    """With the system's locks, or on a file system that refuses them in one way or another."""
    if request.param is not None:

        def flock(*_: object) -> None:
            raise OSError(request.param, "refused")

        monkeypatch.setattr(locks.fcntl, "flock", flock)
    return request.param


@pytest.fixture
def leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases everywhere, of a second."""
    monkeypatch.setenv("ELMO_BENCH_LOCKS", "lease")
    monkeypatch.setattr(locks, "LEASE", 1.0)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Another process for which `flock` fails; returns when it holds the lock, or does not."""
    started = []

    def call(seconds: float = 60, says: str = "held") -> subprocess.Popen[str]:
        words = [sys.executable, "-c", HOLDER, str(tmp_path / "lock"), str(seconds)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == f"{says}\n"
        return process

    yield call
    for process in started:
        process.kill()
        process.wait()


def test_an_exclusive_lock_keeps_all_others_out(tmp_path: Path, refused: int | None) -> None:
    path = tmp_path / "lock"
    with locked(path):
        assert lock(path, wait=False) is None
        assert lock(path, shared=True, wait=False) is None
    again = lock(path, wait=False)
    assert again is not None
    again.close()


def test_shared_locks_stand_in_the_way_of_exclusive_ones_only(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    with locked(path, shared=True), locked(path, shared=True):
        assert lock(path, wait=False) is None


@pytest.mark.parametrize("refused", [None, errno.ENOSYS], indirect=True)
def test_what_is_not_there_cannot_be_shared(tmp_path: Path, refused: int | None) -> None:
    with pytest.raises(FileNotFoundError):
        lock(tmp_path / "lock", shared=True)
    assert list(tmp_path.iterdir()) == []


def test_another_failure_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(locks.fcntl, "flock", flock)
    with pytest.raises(OSError, match="Input/output"):
        lock(tmp_path / "lock")


def test_of_two_processes_one_holds_the_lease(start: Start) -> None:
    first = start()
    start(says="busy")
    first.terminate()
    first.wait()
    start()


def test_a_lease_is_waited_for(start: Start, leases: None, tmp_path: Path) -> None:
    start(seconds=1.5)
    with locked(tmp_path / "lock"):
        assert (tmp_path / "lock.ended").exists()  # written before the lease ends


def test_a_lease_is_renewed(start: Start, leases: None, tmp_path: Path) -> None:
    start()
    time.sleep(2.5)
    assert lock(tmp_path / "lock", wait=False) is None


def test_the_lease_of_a_killed_process_falls_at_once(
    start: Start, leases: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start()
    monkeypatch.setattr(locks, "LEASE", 1000.0)
    process.kill()
    process.wait()
    with locked(tmp_path / "lock"):
        pass


def test_the_lease_of_another_machine_falls_when_it_is_not_renewed(
    start: Start, leases: None, tmp_path: Path
) -> None:
    process = start()
    process.kill()
    process.wait()
    (lease,) = tmp_path.glob(".lease*")
    text = lease.read_text()
    machine = socket.gethostname()
    assert machine in text
    lease.write_text(text.replace(machine, "elsewhere"))
    assert lock(tmp_path / "lock", wait=False) is None
    time.sleep(1.1)
    taken = lock(tmp_path / "lock", wait=False)
    assert taken is not None
    taken.close()


def test_a_process_that_stood_still_is_told_that_its_lease_is_lost(
    start: Start, leases: None, tmp_path: Path
) -> None:
    process = start()
    process.send_signal(signal.SIGSTOP)
    with locked(tmp_path / "lock"):
        process.send_signal(signal.SIGCONT)
        assert process.wait(timeout=30) == 9


def test_who_has_to_wait_is_told_first(tmp_path: Path) -> None:
    first = lock(tmp_path / "a")
    said: list[str] = []
    assert first is not None

    def waits() -> None:
        said.append("waits")
        first.close()

    with locked(tmp_path / "a", waits=waits):
        assert said == ["waits"]
    with locked(tmp_path / "a", waits=waits):
        assert said == ["waits"]


def test_who_only_looks_does_not_watch_an_old_lease(
    start: Start, leases: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start()
    process.kill()
    process.wait()
    (lease,) = tmp_path.glob(".lease*")
    lease.write_text(lease.read_text().replace(socket.gethostname(), "elsewhere"))
    os.utime(lease, (time.time() - 3600,) * 2)
    tried: list[float] = []
    acquire = SoftFileLease.acquire

    def noted(self: SoftFileLease, timeout: float) -> Any:
        tried.append(timeout)
        return acquire(self, timeout=timeout)

    monkeypatch.setattr(SoftFileLease, "acquire", noted)
    held = lock(tmp_path / "lock", wait=False, look=True)
    assert held is not None
    held.close()
    assert tried == [0]
    assert "elsewhere" in lease.read_text()  # it was not taken
