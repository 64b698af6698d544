"""Who computes what: several processes fill one folder, and nothing is computed twice.

A claim is a file with the keys of the sentences that a process is at work on. It counts for as long
as that process holds a lock on it, which falls with the process, however it ends. Where the system
has no locks, each process computes all that it wants.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from uuid import uuid4

from elmo_core import locks
from elmo_core.store.files import KEY

PATTERN = ".claim-*"


class Claim:
    """The claim of one process: held from the beginning, given up at the end of a `with` block."""

    def __init__(self, folder: Path, keys: Iterable[bytes]) -> None:
        """Call this while the folder is locked, so that nobody finds the file without its lock."""
        self._path = folder / PATTERN.replace("*", uuid4().hex)
        self._file = self._path.open("xb", buffering=0)
        locks.lock(self._file)
        self._file.write(b"".join(keys))

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._path.unlink(missing_ok=True)
        self._file.close()


def held(folder: Path) -> dict[Path, set[bytes]]:
    """Return the keys of each living claim; remove dead ones, and what their owners half wrote.

    Call this while the folder is locked.
    """
    if not locks.AVAILABLE:
        return {}
    living = {path: keys for path in folder.glob(PATTERN) if (keys := _claimed(path))}
    if not living:
        for half_written in folder.glob(".*.tmp"):
            half_written.unlink(missing_ok=True)
    return living


def wait(path: Path) -> None:
    """Wait until the claim is given up, or its owner gone."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        locks.lock(file, shared=True)


def _claimed(path: Path) -> set[bytes]:
    """Return the keys of a claim if it is alive; else none, and remove its file."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        if not locks.lock(file, shared=True, wait=False):
            keys = file.read()
            return {keys[i : i + KEY] for i in range(0, len(keys), KEY)}
        path.unlink()
    return set()
