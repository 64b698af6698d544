"""A run of several processes among many runs: a command of its own.

What Lightning leaves behind in a process that trained with others (its environment variables and
the process group) keeps the next run there from starting.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence

from hydra.core.hydra_config import HydraConfig

from bench.errors import BusyError, RunError
from bench.records import Finished
from bench.run.record import Record


class CommandFailed(RuntimeError):
    """The command of a run came to no end. The message is the last thing that it said."""


def run_apart(words: Sequence[str], record: Record) -> Finished:
    """Do one run by a command of its own, and return its result.

    Args:
        words: The words of the command line that compose the run.
        record: Where the run is recorded.

    Raises:
        BusyError: Another process is at work on the run.
        RunError: The run failed for a reason that its owner can mend.
        CommandFailed: It failed for another reason; what it said is in the run's log.
    """
    command = [sys.executable, "-m", "bench", *_folders(), *words]
    with tempfile.TemporaryFile("w+") as stderr:  # a pipe would wait for the run's children, too
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as process:
            try:
                process.wait()
            except BaseException:
                process.terminate()  # the sweep is stopped: so is its run
                raise
        stderr.seek(0)
        said = stderr.read()
    result = record.finished()
    if process.returncode == 0 and result is not None:
        return result
    lines = [line for line in said.splitlines() if line.strip()] or ["nothing was said"]
    if process.returncode != 2:
        record.folder.mkdir(parents=True, exist_ok=True)
        with record.log.open("a") as file:
            file.write(said)
        raise CommandFailed(f"exit status {process.returncode}: {lines[-1]}")
    why = next((line for line in reversed(lines) if line.startswith("error: ")), lines[-1])
    raise (BusyError if record.busy() else RunError)(why.removeprefix("error: "))


def _folders() -> list[str]:
    """Return the options by which this sweep was given folders of configuration."""
    config = HydraConfig.get()
    given = [each.path for each in config.runtime.config_sources if each.provider == "command-line"]
    words = [word for word in config.overrides.hydra if word.startswith("hydra.searchpath=")]
    return [option for path in given for option in ("--config-dir", path)] + words
