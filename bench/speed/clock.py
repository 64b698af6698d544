"""The clock that measurements are taken with."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median

import torch

Now = Callable[[], float]


def clock(device: str) -> tuple[Now, str]:
    """Return a clock that counts seconds, and its name.

    On a CPU at one thread it counts CPU time, so that what else the machine does has no part in it.
    """
    if device == "cpu" and torch.get_num_threads() == 1:
        return time.process_time, "CPU time"
    waits: dict[str, Callable[[], None]]
    waits = {"cuda": partial(torch.cuda.synchronize, device), "mps": torch.mps.synchronize}
    return _when_done(waits.get(device.partition(":")[0], lambda: None)), "the wall clock"


def _when_done(wait: Callable[[], None]) -> Now:
    """Read the wall clock once the device has done all that it was given."""

    def now() -> float:
        wait()
        return time.perf_counter()

    return now


def seconds(work: Callable[[], object], now: Now) -> float:
    """Do the work once and return the seconds that it took."""
    started = now()
    work()
    return now() - started


def typical(work: Callable[[], object], now: Now) -> float:
    """Do the work three times and return the median of the seconds."""
    return median(seconds(work, now) for _ in range(3))
