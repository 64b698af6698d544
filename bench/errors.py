"""Which exceptions are the user's to mend, and the one line that says how."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from bench.config import ConfigError
from bench.interrupts import interruptible
from elmo_core.errors import ElmoCoreError, NotFetchedError
from tasks.task import DataError

UNWRITABLE = (errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOTDIR, errno.EEXIST)


class RunError(RuntimeError):
    """A run cannot go on, for a reason that its owner can mend."""


class BusyError(RunError):
    """Another process is at work on the same run."""


def explain(error: BaseException) -> str | None:
    """Return one line for what the user can mend, None for a bug of ours."""
    if isinstance(error, NotFetchedError):
        return (
            f"word vectors {error.name} are not there yet: `python -m bench.data get {error.name}` "
            f"fetches them, or put the file at {error.path}"
        )
    if isinstance(error, ElmoCoreError | ConfigError | RunError | DataError):
        return str(error)
    if isinstance(error, OSError):
        if error.errno == errno.ENOSPC:
            return "disk full: make room; the same command then goes on from the last whole epoch"
        if error.errno in UNWRITABLE:
            reason = (error.strerror or "").lower()
            return f"cannot write {error.filename} ({reason}): give another paths.runs=FOLDER"
    return None


@contextmanager
def exit_status(debug: bool) -> Iterator[None]:
    """Exit with status 2 and one line for what the user can mend; other errors go through.

    With `debug`, the traceback comes before the line. Ctrl-C and SIGTERM end with one line, too.
    """
    with interruptible():
        try:
            yield
        except Exception as error:
            message = explain(error)
            if message is None:
                raise
            if debug:
                traceback.print_exc()
            print(f"error: {message}", file=sys.stderr)
            sys.exit(2)
