"""Files that are either whole or not there, and written by one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary name beside `path`, renamed to it when the block ends well, removed otherwise.

    Missing parent folders are made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Hold the lock file `path`; whoever comes second waits. It falls with the process.

    Where the system has no such locks (Windows), nothing is held.
    """
    if fcntl is None:
        yield
        return
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
