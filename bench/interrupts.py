"""Ctrl-C and SIGTERM: one line, the exit status of the signal, no traceback.

Only the standard library is imported here, so that the first second of a command is covered too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SWEEP = "ELMO_BENCH_SWEEP"
"""The environment variable that tells a command which process's sweep started it."""

_asked: list[int] = []
"""The signals that have raised `Interrupted` inside the present `interruptible`."""


class Interrupted(SystemExit):
    """A signal ends the program, with status 128 + its number, as a shell would say it.

    Args:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.told: str | None = None


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, Ctrl-C and SIGTERM raise `Interrupted`, of which one line is printed in the end.

    A second signal ends the process at once. What the process was told to ignore (as by `nohup`)
    stays ignored. Inside another `interruptible`, and outside the main thread, nothing is done.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or any(signal.getsignal(number) is _stop for number in SIGNALS):
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _stop)
    try:
        yield
    except BaseException as error:
        stop = behind(error)
        if stop is None:
            raise
        if line := "interrupted" if stop.told is None else stop.told:
            print(line, file=sys.stderr, flush=True)
        raise stop from None
    finally:
        _asked.clear()
        for number, handler in before.items():
            signal.signal(number, handler)


def raise_again() -> None:
    """Raise the interruption that was asked for and did not end the program: in a finaliser Python
    drops whatever is raised."""
    if _asked:
        raise Interrupted(_asked[-1])


def behind(error: BaseException) -> Interrupted | None:
    """Return the interruption that `error` is, or that it came from; None for another error.

    A library's cleaning up, cut short, may fail and hide what cut it short.
    """
    found: BaseException | None = error
    while found is not None and not isinstance(found, Interrupted):
        found = found.__context__
    return found


def _stop(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_DFL)
    _asked.append(number)
    raise Interrupted(number)


def interrupt() -> None:
    """Interrupt this process, from whichever thread, as SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def told(how_far: Callable[[], str]) -> Iterator[None]:
    """Inside, what an interruption is told with is `how_far()`, asked when it happens."""
    try:
        yield
    except BaseException as error:
        stop = behind(error)
        if stop is not None and stop.told is None:  # by what is further inside
            stop.told = how_far()
        raise


@cache
def end_with_parent() -> None:
    """Let a worker process end within a second of the process that started it.

    Ctrl-C is the parent's matter: a terminal sends it to the workers, too. In a process that is no
    worker nothing is done.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        _end_with(parent.pid)


def end_with_sweep() -> None:
    """Do the same in a command that a sweep started; not in those that this one starts."""
    if parent := os.environ.pop(SWEEP, None):
        _end_with(int(parent))


@cache
def end_with_launcher() -> None:
    """Do the same in a process that trains with others, for the one that started it."""
    _end_with(os.getppid())


def _end_with(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
