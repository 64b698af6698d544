"""What a measurement is taken with."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import torch

Now = Callable[[], float]


def clock(device: str) -> tuple[Now, str]:
    """Seconds, and what they are of. On a CPU at one thread, CPU time: what else the machine does
    shall not count."""
    if device == "cpu" and torch.get_num_threads() == 1:
        return time.process_time, "CPU time"
    return time.perf_counter, "the wall clock"


def seconds(work: Callable[[], object], now: Now) -> float:
    started = now()
    work()
    return now() - started


def typical(work: Callable[[], object], now: Now, times: int = 3) -> float:
    """The median of so many."""
    return median(seconds(work, now) for _ in range(times))
