"""Who computes what: several processes fill one folder, and nothing is computed twice.

A claim is a file with the keys of the sentences that a process is at work on. It counts for as long
as that process holds a lock on it, which falls with the process, however it ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from uuid import uuid4

from elmo_core.locks import lock, locked
from elmo_core.store.files import KEY

PATTERN = ".claim-*"


def claim(folder: Path, keys: Iterable[bytes]) -> ExitStack:
    """Claim these sentences until what is returned is closed; a `with` block does so at its end.

    Call this while the folder is locked, so that nobody finds the file without its lock.
    """
    path = folder / PATTERN.replace("*", uuid4().hex)
    path.write_bytes(b"".join(keys))
    stack = ExitStack()
    stack.enter_context(locked(path))
    stack.callback(path.unlink, missing_ok=True)  # before the lock falls
    return stack


def held(folder: Path) -> dict[Path, set[bytes]]:
    """Return the keys of each living claim; remove dead ones, and what their owners half wrote.

    Call this while the folder is locked.
    """
    living = {path: keys for path in folder.glob(PATTERN) if (keys := _claimed(path))}
    if not living:
        for half_written in folder.glob(".*.tmp"):
            half_written.unlink(missing_ok=True)
    return living


def wait(path: Path) -> None:
    """Wait until the claim is given up, or its owner gone."""
    with suppress(FileNotFoundError), locked(path, shared=True):
        pass


def _claimed(path: Path) -> set[bytes]:
    """Return the keys of a claim if it is alive; else none, and remove its file."""
    with suppress(FileNotFoundError):
        mine = lock(path, shared=True, wait=False)
        if mine is None:
            keys = path.read_bytes()
            return {keys[i : i + KEY] for i in range(0, len(keys), KEY)}
        path.unlink()
        mine.close()
    return set()
