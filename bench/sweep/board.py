"""What a queue of runs says: a line when one ends, and what is running now."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.live import Live
from rich.table import Table
from rich.text import Text

from bench.console import EVERY, SCREEN, duration, on_terminal, say
from bench.sweep.job import Outcome

if TYPE_CHECKING:
    from bench.sweep.side_by_side import Running

NAMED = 4
"""Runs that a line names, where there is no terminal."""


class Board:
    """Tells of a queue: on a terminal, a table below the log says what is running; else now and
    then a line does.

    Args:
        running: What is running; the queue changes it.
        runs: How many runs the queue has in all.
        slots: How many of them it does at once.
    """

    def __init__(self, running: Sequence[Running], runs: int, slots: int) -> None:
        self.running, self.runs, self.slots = running, runs, slots
        self.done, self.took, self.told = 0, list[float](), time.monotonic()
        self.live = Live(console=SCREEN, auto_refresh=False, transient=True)

    def __enter__(self) -> Board:
        if on_terminal():
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def ended(self, run: Running, came: Outcome) -> None:
        """Say in a line what came of a run, which is not among the running any more."""
        self.done += 1
        if came.status == "finished" and run.job.found != "interrupted":  # those had begun before
            self.took.append(came.seconds)
        what = f"{came.what}, {came.seconds:.0f} s{run.slot.where}"
        say(f"[{self.done}/{self.runs}] {run.job.cells[0]}: {what}{self._left()}")

    def tell(self) -> None:
        """Show what is running; to be called again and again."""
        if self.live.is_started:
            self.live.update(self._table(), refresh=True)
        elif self.running and time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
            named = [f"{r.job.cells[0]} ({duration(r.seconds)})" for r in self.running[:NAMED]]
            more = len(self.running) - len(named)
            now = ", ".join(named) + (f" and {more} more" if more else "")
            say(f"[{self.done}/{self.runs}] running: {now}{self._left()}")

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        for name in ("run", "time", "last said"):
            table.add_column(name, no_wrap=True, overflow="ellipsis")
        for run in self.running:
            row = str(run.job.cells[0]), duration(run.seconds), run.command.last_line()
            table.add_row(*map(Text, row))
        return table

    def _left(self) -> str:
        """Say when all will be done, by the runs that were done from beginning to end."""
        left = self.runs - self.done
        if not self.took or not left:
            return ""
        mean = sum(self.took) / len(self.took)
        now = [max(mean - run.seconds, 0) for run in self.running]
        free = [0.0] * (self.slots - len(now))
        seconds = until_done([mean] * (left - len(now)), [*now, *free])
        return f"; about {duration(seconds)} left" if seconds >= 1 else ""


def until_done(queue: Sequence[float], slots: Sequence[float], spare: int = 0) -> float:
    """Return the seconds until a queue is done, whose runs each take the next slot that is free.

    Args:
        queue: The seconds that each run takes, in their order.
        slots: The seconds until each slot is free, at least one.
        spare: The last of them, if no more are left, do not wait: all that run then share as many
            cores as there are slots.

    >>> until_done([60, 60, 60], [0, 10])
    120
    >>> until_done([60, 60, 60], [0, 0], spare=1)
    90.0
    """
    ends, now = list(slots), 0.0
    heapq.heapify(ends)
    alone = max(len(queue) - spare, 0)
    for seconds in queue[:alone]:
        now = ends[0]
        heapq.heapreplace(ends, now + seconds)
    if alone == len(queue):
        return max(ends)
    left = sorted([*(max(end - now, 0) for end in ends), *queue[alone:]])
    done = 0.0
    for running, seconds in zip(range(len(left), 0, -1), left, strict=True):
        now += (seconds - done) * max(1.0, running / len(slots))
        done = seconds
    return now
