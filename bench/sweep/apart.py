"""A run among many by a command of its own, where it needs a process to itself.

Runs side by side are processes, and which GPUs or how many threads one has is settled before it
imports torch. What Lightning leaves behind in a process that trained with others (its environment
variables and the process group) keeps the next run there from starting.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra.conf import HydraConf
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from bench.errors import BusyError, RunError
from bench.interrupts import SWEEP
from bench.records import Finished
from bench.run.record import BUSY, Record
from bench.sweep.fork_server import Forked, ForkServer, possible

SEARCHPATH = "hydra.searchpath="
GRACE = 5.0  # seconds in which a run has to end, once it is told to
TRACEBACK = "Traceback (most recent call last):\n"
KILLED = (
    "killed (SIGKILL), most likely since memory ran out: with fewer runs at once "
    "(hydra/launcher=basic: one) each has more"
)


class CommandFailed(RuntimeError):
    """A run failed by a bug. The message says which, in one line."""


class Command:
    """A run that is under way by a command of its own, from the moment that this is made.

    Args:
        words: The words of the command line that compose the run.
        record: Where the run is recorded.
        variables: Of the command's environment, where they differ from this process's.
        server: One of the same variables, which forks; with None a process is started anew.
    """

    def __init__(
        self,
        words: Sequence[str],
        record: Record,
        variables: Mapping[str, str] | None = None,
        server: ForkServer | None = None,
    ) -> None:
        self.record = record
        words = [*folders(HydraConfig.get()), *words]
        # A pipe would wait for the run's children, too. `result` closes it.
        self._stderr = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self.process: subprocess.Popen[bytes] | Forked
        if server is not None:
            self.process = server.start(words, self._stderr)
            return
        self.process = subprocess.Popen(
            [*program(), *words],
            stdout=subprocess.DEVNULL,
            stderr=self._stderr,
            env={**os.environ, **(variables or {}), SWEEP: str(os.getpid())},
        )

    def ended(self) -> bool:
        """Say whether the command has come to its end."""
        return self.process.poll() is not None

    def last_line(self) -> str:
        """Return the last whole line that the command has said so far."""
        file = self._stderr.fileno()
        end = os.fstat(file).st_size
        # The command writes where the file stands: reading must not move that.
        said = os.pread(file, 1000, max(end - 1000, 0)).decode(errors="replace")
        return said.rpartition("\n")[0].rpartition("\n")[2]

    def result(self) -> Finished:
        """Wait until the run has ended, and return its result.

        Raises:
            BusyError: Another process is at work on the run.
            RunError: The run failed for a reason that its owner can mend.
            CommandFailed: It failed for another reason; what it said is in the run's log.
        """
        status, record = self.process.wait(), self.record
        with self._stderr as stderr:
            stderr.seek(0)
            said = stderr.read()
        result = record.finished()
        if status == 0 and result is not None:
            return result
        if status == -signal.SIGKILL:
            raise RunError(KILLED)
        lines = [line for line in said.splitlines() if line.strip()] or ["nothing was said"]
        if status != 2:
            raise CommandFailed(self._bug(said) or f"exit status {status}: {lines[-1]}")
        why = next((line for line in reversed(lines) if line.startswith("error: ")), lines[-1])
        why = why.removeprefix("error: ")
        raise (BusyError if why.startswith(BUSY) else RunError)(why)

    def _bug(self, said: str) -> str:
        """Write the traceback of what was said to the run's log; return how it ends, and where."""
        _, found, text = said.partition(TRACEBACK)
        if not found:
            return ""
        self.record.folder.mkdir(parents=True, exist_ok=True)
        with self.record.log.open("a", encoding="utf-8") as file:
            file.write(found + text)
        last = text.rpartition(TRACEBACK)[2].splitlines()
        first = next((line for line in last if line[:1].strip()), "")
        return f"{first} (traceback in {self.record.log})"


def stop(commands: Iterable[Command]) -> None:
    """End runs that are under way. They may go on later."""
    commands = list(commands)
    for command in commands:
        command.process.terminate()
    deadline = time.monotonic() + GRACE
    for command in commands:
        try:
            command.process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:  # it is in the middle of a long operation
            command.process.kill()
            command.process.wait()


def run_apart(words: Sequence[str], record: Record) -> Finished:
    """Do one run by a command of its own, and return its result. Raises what `result` raises."""
    command = Command(words, record)
    try:
        return command.result()
    except BaseException:
        stop([command])
        raise


class Forks:
    """The fork servers of a sweep, each with its commands' environment; they end with `with`."""

    def __init__(self) -> None:
        self._servers: dict[tuple[tuple[str, str], ...], ForkServer] = {}

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def server(self, variables: Mapping[str, str]) -> ForkServer | None:
        """Return the server for commands with these variables; None where there can be none.

        Args:
            variables: Of the commands' environment, where they differ from this process's.
        """
        key = tuple(sorted(variables.items()))
        if key not in self._servers and possible():
            self._servers[key] = ForkServer(program(), variables)
        return self._servers.get(key)


def program(*verb: str) -> list[str]:
    """Return the command that started this process, or a verb of the same, such as `features`.

    `elmo-bench` does not look for packages in the working folder, as `python -m bench` does.
    """
    if (script := installed_script()) is not None:
        return [sys.executable, script, *verb]
    return [sys.executable, "-m", ".".join(["bench", *verb])]


def installed_script() -> str | None:
    """Return the file of `elmo-bench`, where that started this process."""
    script = Path(sys.argv[0])
    return str(script) if script.name == "elmo-bench" and script.is_file() else None


def as_typed(words: Any) -> list[str]:
    """Return the words of Hydra's `overrides`, of which a `${…}` is the run's to resolve."""
    typed: list[str] = OmegaConf.to_container(words, resolve=False)  # type: ignore[assignment]
    return typed


def folders(hydra: DictConfig | HydraConf) -> list[str]:
    """Return the options by which a sweep was given folders of configuration.

    Args:
        hydra: Hydra's node of the sweep's configuration.
    """
    given = [each.path for each in hydra.runtime.config_sources if each.provider == "command-line"]
    words = [word for word in hydra.overrides.hydra if word.startswith(SEARCHPATH)]
    return [f"--config-dir={path}" for path in given] + words
