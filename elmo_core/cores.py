"""The processor's cores: how many this process may use, and how torch's threads share them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from math import ceil

from elmo_core.control_groups import groups, number, text

THREADS, SPINS, POLICY = "OMP_NUM_THREADS", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"
"""Variables of OpenMP, by which torch computes in threads, and of GNU's."""


def usable_cores() -> int:
    """Return how many cores this process may use, at least 1.

    Its affinity counts (`taskset`, Slurm), and the quotas of its control groups (containers).
    """
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(min([cores, *map(ceil, _quotas())]), 1)


def _quotas() -> Iterator[float]:
    """Yield how many cores' time each control group may take, of those with a limit."""
    for group in groups("cpu"):
        said = text(group / "cpu.max").split() or [  # version 2, else 1
            text(group / "cpu.cfs_quota_us"),
            text(group / "cpu.cfs_period_us"),
        ]
        match [number(each) for each in said]:
            case [int(time), int(period)] if time > 0 and period > 0:
                yield time / period


def share() -> None:
    """Let threads that wait for one another give their cores to others soon; before torch comes.

    By itself a thread looks 300,000 times whether the others are done before it sleeps. That takes
    milliseconds, in which the one that is waited for may want its core, while another process has
    the other ones. 10,000 times do where nothing else runs (docs/performance.md). What the user has
    set is left alone.
    """
    if POLICY not in os.environ:
        os.environ.setdefault(SPINS, "10000")


def fit() -> None:
    """Let torch, once it is there, have no more threads than this process has cores.

    By itself it has as many as the processor, whatever a container may use of it, and those that
    wait take the time of those that work. What the user has set is left alone.
    """
    if "torch" in sys.modules and THREADS not in os.environ:
        import torch

        if (cores := usable_cores()) < torch.get_num_threads():
            torch.set_num_threads(cores)
