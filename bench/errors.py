"""Which exceptions are the user's to mend, and the one line that says how."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import hydra.utils
from hydra.errors import InstantiationException

from bench.config import ConfigError
from elmo_core.errors import ElmoCoreError, NotFetchedError
from tasks.task import DataError

UNWRITABLE = (errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOTDIR, errno.EEXIST)


class RunError(RuntimeError):
    """A run that cannot go on, for a reason that its owner can mend."""


class BusyError(RunError):
    """Another process is at work on the same run."""


def explain(error: BaseException) -> str | None:
    """One line for what the user can mend, None for a bug of ours."""
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
            reason = error.strerror.lower()
            return f"cannot write {error.filename} ({reason}): give another paths.runs=FOLDER"
    return None


@contextmanager
def exit_status(debug: bool) -> Iterator[None]:
    """Leave with status 2 and one line for what the user can mend (after a traceback in debug)."""
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


def build(node: Any, **arguments: Any) -> Any:
    """`hydra.utils.instantiate`, with what went wrong inside the target raised as it was."""
    try:
        return hydra.utils.instantiate(node, **arguments)
    except InstantiationException as error:
        cause = error.__cause__
        if cause is not None and not isinstance(cause, TypeError | ValueError | ImportError):
            raise cause from None
        if cause is not None and explain(cause):
            raise cause from None
        reason = " ".join(str(cause or error).split())
        raise ConfigError(f"{node['_target_']}: {reason}") from error
