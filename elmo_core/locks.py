"""Locks on files, by which processes take turns; one falls with its process, however that ends.

Where the system has no such locks (Windows), every lock is had at once and holds nobody back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

AVAILABLE = fcntl is not None


def lock(file: IO[Any], *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file until it is closed, and return whether that was possible.

    Shared locks stand in the way of exclusive ones only. Without `wait`, a lock that another
    process holds is not waited for: the answer is then False.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(
            file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        )
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Hold the lock file `path` for a block; whoever comes second waits."""
    with open(path, "w") as file:
        lock(file)
        yield
