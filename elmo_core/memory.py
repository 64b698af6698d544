"""Memory that this process may use, within a container or a job, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from elmo_core import control_groups
from elmo_core.control_groups import groups, number, text


def all_memory() -> int:
    """Return the bytes of the machine, or of the control group that may have the fewest."""
    return min([_machine(), *(limit for _, limit in _limits())])


def free_memory() -> int:
    """Return the bytes that this process and its children may still take.

    Files that the system keeps in memory count as free. Where nothing is known of that, outside of
    Linux, all of the machine's memory does.
    """
    free = number(_line(control_groups.PROC / "meminfo", "MemAvailable"))
    if free is None:
        return _machine()
    return max(min([free * 1024, *_left()]), 0)


def _machine() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _left() -> Iterator[int]:
    """Yield the bytes that each control group has left, of those with a limit."""
    for group, limit in _limits():
        used = number(text(group / "memory.current") or text(group / "memory.usage_in_bytes"))
        stat = group / "memory.stat"  # version 1 counts the groups below in lines of their own
        files = _line(stat, "total_inactive_file") or _line(stat, "inactive_file")
        if used is not None:
            yield limit - used + (number(files) or 0)


def _limits() -> Iterator[tuple[Path, int]]:
    """Yield the control groups that have a limit, and it."""
    for group in groups("memory"):
        limit = number(text(group / "memory.max") or text(group / "memory.limit_in_bytes"))
        if limit is not None:
            yield group, limit


def _line(path: Path, name: str) -> str:
    """Return what stands in a file after a line's name, without its unit."""
    lines = (line.replace(":", " ").split() for line in text(path).splitlines())
    return next((words[1] for words in lines if words[0] == name), "")
