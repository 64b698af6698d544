"""The clock that measurements are taken with."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import torch

Now = Callable[[], float]


def clock(device: str) -> tuple[Now, str]:
    """Return a clock that counts seconds, and its name.

    On a CPU at one thread it counts CPU time, so that what else the machine does has no part in it.
    """
    if device == "cpu" and torch.get_num_threads() == 1:
        return time.process_time, "CPU time"
    return _when_done if device.startswith("cuda") else time.perf_counter, "the wall clock"


def _when_done() -> float:
    """Read the wall clock once the GPU has done all that it was given."""
    torch.cuda.synchronize()
    return time.perf_counter()


def seconds(work: Callable[[], object], now: Now) -> float:
    """Do the work once and return the seconds that it took."""
    started = now()
    work()
    return now() - started


def typical(work: Callable[[], object], now: Now) -> float:
    """Do the work three times and return the median of the seconds."""
    return median(seconds(work, now) for _ in range(3))
