"""What is made of finished runs, an ensemble or an evaluation: recorded once, and shown."""

from __future__ import annotations

from collections.abc import Callable

from bench.console import said_in
from bench.errors import explain
from bench.records import Finished
from bench.run import panel
from bench.run.record import Record


def recorded(
    record: Record,
    make: Callable[[], Finished],
    current: Callable[[Finished], bool],
    *,
    force: bool,
    limit_batches: int | None,
) -> Finished:
    """Show and return what `make` gives, or what was recorded before.

    There is nothing to go on with: a mistake of the user's or an interruption leaves no folder, any
    other failure its log. A result of before stays until the new one takes its place.

    Args:
        record: The folder.
        make: Does the work, records it in the folder and returns the result.
        current: Says whether a result of before is of the same models and examples.
        force: Whether it is made anew, whatever is there.
        limit_batches: That of the runs, if they are trials (`trainer.limit_batches`).

    Raises:
        BusyError: Another process is at work on it.
        DamagedRecord: The result of before cannot be read.
    """

    def earlier() -> Finished | None:
        result = None if force else record.finished()
        return result if result is not None and current(result) else None

    result, note = earlier(), "finished earlier; --force repeats it"
    if result is None:
        with record.lock(), said_in(record.log):
            result = earlier()  # of whoever held the lock before
            if result is None:
                result, note = _whole(record, make), ""
    panel.show(result, record.folder, note, limit_batches)
    return result


def _whole(record: Record, make: Callable[[], Finished]) -> Finished:
    try:
        return make()
    except BaseException as error:
        bug = isinstance(error, Exception) and explain(error) is None
        if not bug and not record.has_result():
            record.remove()
        raise
