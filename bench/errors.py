"""Which exceptions are the user's to mend, and the one line that says how.

Neither torch nor Hydra here, so that the help of every verb is quick.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from bench.interrupts import interruptible
from elmo_core.errors import ElmoCoreError, NotFetchedError, one_line
from tasks.task import DataError

DENIED = (errno.EACCES, errno.EPERM)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
UNWRITABLE = (*DENIED, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


class ConfigError(ValueError):
    """A key or value of the configuration is wrong; the message is one line, for its owner."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class RunError(RuntimeError):
    """A run cannot go on, for a reason that its owner can mend; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


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
    return _refused(error) if isinstance(error, OSError) else None


def _refused(error: OSError) -> str | None:
    """Say what the system would not do; None for a pipe that was closed, which is no error."""
    if error.strerror is None or error.errno == errno.EPIPE:
        return None
    reason, path = error.strerror.lower(), error.filename
    again = "the same command then goes on from the last whole epoch"
    if error.errno in NO_ROOM:
        full = "disk full" if error.errno == errno.ENOSPC else reason
        return f"{full}: make room; {again}"
    if error.errno in DENIED and not _readable(path):
        return f"cannot read {path} ({reason}): change its permissions, or name another"
    if error.errno in UNWRITABLE:
        return f"cannot write {path} ({reason}): name another place (of runs: paths.runs=FOLDER)"
    if error.errno == errno.EFBIG:
        return f"cannot write {path} ({reason}): raise `ulimit -f`; {again}"
    return f"{_shortened(str(path or 'a file'))}: {reason}"


def _readable(path: object) -> bool:
    """Return whether nothing forbids reading a file or folder; it need not be there."""
    try:
        with open(str(path), "rb"):
            return True
    except PermissionError:
        return False
    except OSError:
        return True


def _shortened(path: str) -> str:
    """Return a path that is short enough to be read: system calls refuse those above 4096 bytes."""
    return path if len(path) <= 300 else f"{path[:150]} … {path[-100:]}"


@contextmanager
def exit_status(debug: bool) -> Iterator[None]:
    """Exit with status 2 and one line for what the user can mend; other errors go through.

    With `debug`, the traceback comes before the line. Ctrl-C and SIGTERM end with one line, too.
    Where the reader of the output has seen enough (`| head`), the status is 1, without a line.
    """
    with interruptible(), _until_closed():
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


@contextmanager
def _until_closed() -> Iterator[None]:
    """Exit with status 1 where the pipe that is written to has been closed."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # now, and not when Python ends and could only complain
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left
        sys.exit(1)
