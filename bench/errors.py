"""Which exceptions are the user's to mend, and the one line that says how.

Neither torch nor Hydra here, so that the help of every verb is quick.
"""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.interrupts import interruptible
from elmo_core.errors import FetchError, NotFetchedError, OneLineError

DENIED = (errno.EACCES, errno.EPERM)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
ROOT = Path(__file__).parents[1]
OURS = [ROOT / name for name in ("bench", "tasks", "elmo_core")]
UNWRITABLE = (*DENIED, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


class ConfigError(OneLineError, ValueError):
    """A key or value of the configuration is wrong; the message is for its owner."""


class RunError(OneLineError, RuntimeError):
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
    if isinstance(error, OneLineError):
        return str(error)
    return _refused(error) if isinstance(error, OSError) else None


def _refused(error: OSError) -> str | None:
    """Say what the system would not do; None for a pipe that was closed, which is no error."""
    if error.strerror is None or error.errno == errno.EPIPE:
        return None
    reason, path = error.strerror.lower(), error.filename or "a file"
    again = "the same command then goes on from the last whole epoch"
    if error.errno in NO_ROOM:
        full = "disk full" if error.errno == errno.ENOSPC else reason
        return f"{full}: make room; {again}"
    if error.errno in DENIED and error.filename and not _readable(path):
        return f"cannot read {path} ({reason}): change its permissions, or name another"
    if error.errno in UNWRITABLE:
        own = "paths.runs=FOLDER for runs, -o FOLDER for reports"
        key = "ELMO_BENCH_CACHE=FOLDER" if _is_cached(path) else own
        return f"cannot write {path} ({reason}): name another place ({key})"
    if error.errno == errno.EFBIG:
        return f"cannot write {path} ({reason}): raise `ulimit -f`; {again}"
    return f"{_shortened(str(path))}: {reason}"


def _is_cached(path: object) -> bool:
    from elmo_core.downloads.cache import cache_folder  # brings what fetches

    try:
        return Path(str(path)).absolute().is_relative_to(cache_folder().absolute())
    except FetchError:  # nobody knows where it is
        return False


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
    A traceback's last line names the user's own file where the error is in it (Python 3.11 on).
    Where the reader of the output has seen enough (`| head`), the status is 1, without a line.
    """
    with interruptible(), _until_closed():
        try:
            yield
        except Exception as error:
            message = explain(error)
            if message is None:
                _note_where(error)
                raise
            if debug:
                traceback.print_exc()
            print(f"error: {message}", file=sys.stderr)
            sys.exit(2)


def _note_where(error: Exception) -> None:
    """Let the traceback end with the user's own file and line, if the error is in one."""
    place = _outside(error)
    note = f"This is in {place}: not a file of ours, but of the encoder or task in use."
    # Python 3.10 has no notes; where this function was passed before, there is one already.
    if place and sys.version_info >= (3, 11) and not getattr(error, "__notes__", None):
        error.add_note(note)


def _outside(error: Exception) -> str | None:
    """Name file and line of the innermost call outside of libraries, unless it is one of ours."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if any(path.is_relative_to(folder) for folder in OURS):
            return None
        installed = {"site-packages", "dist-packages"} & {*path.parts}
        python = path.is_relative_to(sysconfig.get_path("stdlib"))
        if path.is_file() and not installed and not python:
            return f"{path}, line {frame.lineno}"
    return None


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
