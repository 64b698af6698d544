"""Memory that this process may use, within a container or a job, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC, CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def all_memory() -> int:
    """Return the bytes of the machine, or of the control group that may have the fewest."""
    return min([_machine(), *(limit for _, limit in _limits())])


def free_memory() -> int:
    """Return the bytes that this process and its children may still take.

    Files that the system keeps in memory count as free. Where nothing is known of that, outside of
    Linux, all of the machine's memory does.
    """
    free = _number(_line(PROC / "meminfo", "MemAvailable"))
    if free is None:
        return _machine()
    return max(min([free * 1024, *_left()]), 0)


def _machine() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _left() -> Iterator[int]:
    """Yield the bytes that each control group has left, of those with a limit."""
    for group, limit in _limits():
        used = _number(_text(group / "memory.current") or _text(group / "memory.usage_in_bytes"))
        files = _number(_line(group / "memory.stat", "inactive_file")) or 0
        if used is not None:
            yield limit - used + files


def _limits() -> Iterator[tuple[Path, int]]:
    """Yield the control groups that have a limit, and it."""
    for group in _groups():
        limit = _number(_text(group / "memory.max") or _text(group / "memory.limit_in_bytes"))
        if limit is not None:
            yield group, limit


def _groups() -> Iterator[Path]:
    """Yield the folders of this process's control groups for memory, the innermost first."""
    for line in _text(PROC / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = CGROUPS / "memory" if controllers else CGROUPS  # version 2 has one tree for all
        group = root / path.strip("/")
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(root))


def _line(path: Path, name: str) -> str:
    """Return what stands in a file after a line's name, without its unit."""
    lines = (line.replace(":", " ").split() for line in _text(path).splitlines())
    return next((words[1] for words in lines if words[0] == name), "")


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="ascii").strip()
    return ""


def _number(text: str) -> int | None:
    """Return a whole number; None for another text, as `max`."""
    return int(text) if text.lstrip("-").isdecimal() else None
