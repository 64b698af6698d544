"""Runs that need not import torch: processes that are forked from one that has.

Importing torch and Lightning takes longer than all the rest of a run of a few seconds. A fork
server is a command that a sweep starts as it starts a run's: it imports them once, and forks for
each run that is asked for. The child goes on as the command of that run, from its first line to its
exit handlers.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from struct import Struct
from typing import IO

from bench.interrupts import SIGNALS, SWEEP
from elmo_core.imports import importing_torch

SOCKET = "ELMO_BENCH_FORK_SERVER"
"""The environment variable that makes a command a fork server: the number of its socket."""

LONGEST = 1 << 17  # bytes of a request
NUMBER = Struct("i")


def possible() -> bool:
    """Return whether this system has what a fork server needs; Linux does, since 5.3."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class ForkServer:
    """A fork server, from the moment that this is made. It is started anew where it has died.

    Args:
        program: The command, without the words of a run.
        variables: Of its environment and its runs', where they differ from this process's.
    """

    def __init__(self, program: Sequence[str], variables: Mapping[str, str]) -> None:
        self.program, self.variables = program, variables
        self._begin()

    def _begin(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                self.program,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **self.variables, SOCKET: str(theirs.fileno())},
                pass_fds=[theirs.fileno()],
            )

    def start(self, words: Sequence[str], stderr: IO[str]) -> Forked:
        """Ask for a process and return it; it begins once the server has imported everything.

        Args:
            words: The words of its command line.
            stderr: The file that takes what it says.
        """
        if self.process.poll() is not None:
            self._socket.close()
            self._begin()
        told, tell = os.pipe()
        try:
            request = json.dumps(list(words)).encode()
            socket.send_fds(self._socket, [request], [stderr.fileno(), tell])
        finally:
            os.close(tell)
        return Forked(self.process, told)

    def close(self) -> None:
        """End the server, and with it what it still runs."""
        self._socket.close()
        self.process.kill()
        self.process.wait()


class Forked:
    """A process that a fork server was asked for, with what is used of `subprocess.Popen`.

    Args:
        server: The server's own process.
        told: A pipe that has the number of the process and, once it has ended, its exit status.
    """

    def __init__(self, server: subprocess.Popen[bytes], told: int) -> None:
        self._server, self._told = server, os.fdopen(told, "rb", buffering=0)
        self._pid: int | None = None
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or -n where signal n ended the process; None if it goes on."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process has ended, and return its exit status as `poll` does.

        Raises:
            subprocess.TimeoutExpired: It has not ended in so many seconds.
        """
        while self._status is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a run", timeout or 0)
            told = self._told.read(NUMBER.size)
            if not told:  # the server has died, and its processes end with it
                self._status = self._server.wait()
            elif self._pid is None:
                (self._pid,) = NUMBER.unpack(told)
            else:
                (self._status,) = NUMBER.unpack(told)
        self._told.close()
        return self._status

    def terminate(self) -> None:
        """Ask the process to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End the process at once."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is not None:
            return
        if self._pid is None:  # the server is still importing
            self._server.kill()
            return
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)


def serve() -> None:
    """Where a sweep has made this command a fork server, return in the children alone.

    The server itself ends with the sweep.
    """
    if SOCKET not in os.environ:
        return
    asked = socket.socket(fileno=int(os.environ.pop(SOCKET)))
    answers = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
    # What cannot be imported is told by the runs, which import it again. `datasets` is left to
    # them: it starts a thread, which no fork takes along.
    with importing_torch(), suppress(Exception):
        import pytorch_lightning  # noqa: F401

        from bench import cli  # noqa: F401
    children: dict[int, tuple[int, int]] = {}  # by what tells their end: process, pipe
    ready = select.poll()
    ready.register(asked, select.POLLIN)
    while True:
        for each, _ in ready.poll():
            if each in children:
                ready.unregister(each)
                _bury(each, *children.pop(each))
                continue
            request, files, *_ = socket.recv_fds(asked, LONGEST, 2)
            if not request:
                sys.exit()
            stderr, tell = files
            child = _fork(stderr, tell)
            if child == 0:
                os.dup2(stderr, sys.stderr.fileno())
                asked.close()
                for each in (stderr, tell, *children, *(pipe for _, pipe in children.values())):
                    os.close(each)
                for number, answer in answers.items():
                    signal.signal(number, answer)
                os.environ[SWEEP] = str(os.getppid())
                sys.argv[1:] = json.loads(request)
                return
            os.close(stderr)
            if child is None:
                os.close(tell)
                continue
            end = os.pidfd_open(child)
            ready.register(end, select.POLLIN)
            children[end] = child, tell


def _fork(stderr: int, tell: int) -> int | None:
    """Fork, and tell the number of the child or, where there is none, why and exit status 2."""
    try:
        child = os.fork()
    except OSError as error:  # memory is short
        os.write(stderr, f"error: no process for the run: {error.strerror}\n".encode())
        os.write(tell, NUMBER.pack(0) + NUMBER.pack(2))
        return None
    if child:
        os.write(tell, NUMBER.pack(child))
    return child


def _bury(end: int, child: int, tell: int) -> None:
    """Tell the exit status of a child that has ended."""
    _, status = os.waitpid(child, 0)
    os.write(tell, NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os.close(tell)
    os.close(end)
