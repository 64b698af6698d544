"""A run that comes to no end: what is said of it, and what its folder keeps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bench.choice import Choice
from bench.errors import explain
from bench.interrupts import behind, told
from bench.records import Failed
from bench.run.module import BenchModule
from bench.run.record import Record, outcome

log = logging.getLogger(__name__)


@contextmanager
def accounted_for(
    choice: Choice,
    record: Record,
    module: Callable[[], BenchModule | None],
    *,
    force: bool,
    new: bool,
) -> Iterator[None]:
    """Inside, an interruption says how far the run is, and the reason of a failure is recorded.

    Args:
        choice: What the run is.
        record: The run's folder.
        module: Returns what is trained, once it is made.
        force: Whether the run begins anew, whatever is there.
        new: Whether the folder was not there before. A mistake of the user's that ends a new run
            before its training leaves none.
    """
    try:
        with told(lambda: _how_far(module(), record.last.exists() and not force)):
            yield
    except Exception as error:
        if behind(error) is None:
            reached = module()
            trained = reached is not None and bool(reached.at_hand)
            _record(error, choice, record, keep=trained or not new)
        raise


def _how_far(module: BenchModule | None, goes_on: bool) -> str:
    """Say what is there of an interrupted run, and whether the same command goes on with it."""
    epochs = len(module.history) if module else 0
    if goes_on and not epochs:
        return "interrupted; the same command goes on"
    when = f"after epoch {epochs}" if epochs else "before the first epoch ended"
    return f"interrupted {when}; the same command {'goes on' if goes_on else 'begins anew'}"


def _record(error: Exception, choice: Choice, record: Record, keep: bool) -> None:
    """Record why a run failed. A finished result of before stays as it is."""
    reason = explain(error)
    if reason and not keep:
        record.remove()
    elif record.readable():
        log.info("failed; the result of before stays")
    else:
        with suppress(OSError):  # the disk may be what failed
            why = reason or f"{type(error).__name__}: {error}"
            record.write_result(outcome(Failed, choice, error=why))
