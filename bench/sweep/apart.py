"""A run among many by a command of its own, where it needs a process to itself.

What Lightning leaves behind in a process that trained with others (its environment variables and
the process group) keeps the next run there from starting; and which GPUs a process sees is settled
before it imports torch.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

from hydra.core.hydra_config import HydraConfig

from bench.errors import BusyError, RunError
from bench.records import Finished
from bench.run.record import Record


class CommandFailed(RuntimeError):
    """The command of a run came to no end. The message is the last thing that it said."""


class Command:
    """A run that is under way by a command of its own, from the moment that this is made.

    Args:
        words: The words of the command line that compose the run.
        record: Where the run is recorded.
        variables: Of the command's environment, where they differ from this process's.
    """

    def __init__(
        self, words: Sequence[str], record: Record, variables: Mapping[str, str] | None = None
    ) -> None:
        self.record = record
        # A pipe would wait for the run's children, too.
        self._stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 - `result` closes it
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench", *_folders(), *words],
            stdout=subprocess.DEVNULL,
            stderr=self._stderr,
            env={**os.environ, **(variables or {})},
        )

    def ended(self) -> bool:
        """Say whether the command has come to its end."""
        return self.process.poll() is not None

    def stop(self) -> None:
        """End the run, which may go on later: the sweep is stopped."""
        self.process.terminate()
        self.process.wait()

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
        lines = [line for line in said.splitlines() if line.strip()] or ["nothing was said"]
        if status != 2:
            record.folder.mkdir(parents=True, exist_ok=True)
            with record.log.open("a") as file:
                file.write(said)
            raise CommandFailed(f"exit status {status}: {lines[-1]}")
        why = next((line for line in reversed(lines) if line.startswith("error: ")), lines[-1])
        raise (BusyError if record.busy() else RunError)(why.removeprefix("error: "))


def run_apart(words: Sequence[str], record: Record) -> Finished:
    """Do one run by a command of its own, and return its result. Raises what `result` raises."""
    command = Command(words, record)
    try:
        return command.result()
    except BaseException:
        if not command.ended():
            command.stop()
        raise


def _folders() -> list[str]:
    """Return the options by which this sweep was given folders of configuration."""
    config = HydraConfig.get()
    given = [each.path for each in config.runtime.config_sources if each.provider == "command-line"]
    words = [word for word in config.overrides.hydra if word.startswith("hydra.searchpath=")]
    return [option for path in given for option in ("--config-dir", path)] + words
