"""Locks on files, by which processes take turns; one falls with its process, however that ends.

They are the system's own (`flock`). Where a file system refuses them (some parallel ones), a lock
is a lease: a file beside, renewed by its owner. It falls at once when its process is gone from this
machine, and after `LEASE` seconds without renewal. So it is everywhere if `ELMO_BENCH_LOCKS=lease`
is set, which a file system needs whose locks hold on one machine alone.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

LEASE = 60.0  # seconds
RENEWALS = 12
"""In each lease: for the time between two, one who stood still may not know that it was lost."""
REFUSED = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK)


def lock(
    path: str | Path,
    *,
    shared: bool = False,
    wait: bool = True,
    lost: Callable[[], None] | None = None,
    look: bool = False,
) -> ExitStack | None:
    """Lock a file until what is returned is closed; a `with` block does so at its end.

    Args:
        path: The file. It is made if it is not there.
        shared: Whether it stands in the way of exclusive locks only; the file must then be there.
            As a lease, a lock is exclusive all the same.
        wait: Whether to wait for other processes that hold it.
        lost: Called from a thread if a lease was taken over by another process, since this one
            had stood still.
        look: Whether it is only asked who holds it: a lease that nobody seems to renew counts as
            free at once, and is not taken.

    Returns:
        What holds the lock; None if another process does, and that is not waited for.

    Raises:
        OSError: The file cannot be opened.
    """
    with ExitStack() as stack:
        file = stack.enter_context(open(path, "rb" if shared else "ab"))
        if os.environ.get("ELMO_BENCH_LOCKS") == "lease":
            return _lease(Path(path), wait, lost, look)
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        except OSError as error:
            if error.errno not in REFUSED:
                raise
            return _lease(Path(path), wait, lost, look)
        return stack.pop_all()


def _lease(path: Path, wait: bool, lost: Callable[[], None] | None, look: bool) -> ExitStack | None:
    from filelock import SoftFileLease, Timeout

    file = path.with_name(f".lease{path.name}")
    lease = SoftFileLease(
        file,
        lease_duration=LEASE,
        heartbeat_interval=LEASE / RENEWALS,
        on_compromise=lambda _: lost() if lost else None,
        thread_local=False,
    )
    try:
        lease.acquire(timeout=-1 if wait else 0)
    except Timeout:
        if not _old(file):
            return None
        if look:
            return ExitStack()
        try:  # it must be seen not to be renewed: clocks of machines differ
            lease.acquire(timeout=1.5 * LEASE)
        except Timeout:
            return None
    stack = ExitStack()
    stack.callback(lease.release)
    return stack


def _old(file: Path) -> bool:
    """Say whether a lease looks as if nobody renewed it any more."""
    try:
        return time.time() - file.stat().st_mtime > LEASE
    except FileNotFoundError:
        return False


@contextmanager
def locked(
    path: str | Path, *, shared: bool = False, waits: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold the lock of a file for a block, as `lock` does.

    Whoever comes second waits; before that, `waits` is called.
    """
    held = lock(path, shared=shared, wait=waits is None)
    if held is None and waits is not None:
        waits()
        held = lock(path, shared=shared)
    assert held is not None  # since it was waited for
    with held:
        yield
