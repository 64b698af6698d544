"""A process that answers requests, one JSON a line each way."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bench.errors import RunError
from elmo_core.cores import SPINS
from elmo_core.heap import HUGE_PAGES

Ask = Callable[..., Any]
"""Sends a request, by keywords, and returns the answer."""


@contextmanager
def talking(command: Sequence[str], called: str) -> Iterator[tuple[Any, Ask]]:
    """Start a process, and end it at the end of the block.

    It is started as it would be by itself, without what `importing_torch` has set here.

    Args:
        command: What is run.
        called: The process, in error messages.

    Yields:
        What it said when it was ready, and the function that asks it.

    Raises:
        RunError: It cannot be run, or it stopped; the message ends with its last line.
    """
    pipe = subprocess.PIPE
    alone = {key: value for key, value in os.environ.items() if key not in (HUGE_PAGES, SPINS)}
    with tempfile.TemporaryFile("w+") as said:
        try:
            process = subprocess.Popen(
                command, text=True, stdin=pipe, stdout=pipe, stderr=said, env=alone
            )
        except OSError as error:
            raise RunError(f"{called}: {error.strerror}") from error

        def ask(**request: Any) -> Any:
            print(json.dumps(request), file=process.stdin, flush=True)
            return answer()

        def answer() -> Any:
            assert process.stdout
            if line := process.stdout.readline():
                return json.loads(line)
            said.seek(0)
            last = said.read().strip().splitlines()[-1:]
            raise RunError(f"{called}: {' '.join(last) or 'it stopped'}")

        with process:
            yield answer(), ask
