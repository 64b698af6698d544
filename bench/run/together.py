"""Several processes train one run: when one has ended, the first says so in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from bench.errors import RunError

GONE = re.compile(
    r"(gloo|nccl|c10d|tcpstore).*(connection (was )?(closed|reset)|broken pipe|process exited)",
    re.IGNORECASE | re.DOTALL,
)
"""What torch's backends say of a process that is not there any more."""


@contextmanager
def explained(*, first: bool) -> Iterator[None]:
    """Inside, tell the end of another process of the run in one line, and not as a bug.

    Args:
        first: Whether this process is the one that says it; the others end without a word.

    Raises:
        RunError: Another process has ended.
    """
    try:
        yield
    except RuntimeError as error:
        if not GONE.search(str(error)):
            raise
        if not first:
            raise SystemExit(2) from None
        raise RunError(
            "another process of this run has ended: the reason stands above, or it was killed (for "
            "want of memory, most likely); the same command goes on from the last whole epoch"
        ) from error
