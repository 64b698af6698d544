"""What this process may use of the machine: its cores, within a container or a job, too."""

from __future__ import annotations


def usable_cores() -> int:
    """Return how many cores this process may use, at least 1.

    Its affinity counts (`taskset`, Slurm), and the quotas of its control groups (containers).
    """
    from joblib import cpu_count  # a quarter of a second, which a single run need not wait

    return int(cpu_count())
