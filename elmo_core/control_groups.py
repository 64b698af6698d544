"""Linux control groups: what a container, or a job of a cluster, may use of a machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC, CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def groups(controller: str) -> Iterator[Path]:
    """Yield the folders of this process's groups for a controller, the innermost first.

    >>> all(folder.is_absolute() for folder in groups("memory"))
    True
    """
    for line in text(PROC / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        root = CGROUPS / controller if controllers else CGROUPS  # version 2 has one tree for all
        group = root / path.strip("/")
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(root))


def text(path: Path) -> str:
    """Return what a file says, without space around it; "" where it cannot be read."""
    with suppress(OSError):
        return path.read_text(encoding="ascii").strip()
    return ""


def number(said: str) -> int | None:
    """Return a whole number; None for another text, as `max`.

    >>> number("200000"), number("-1"), number("max")
    (200000, -1, None)
    """
    return int(said) if said.lstrip("-").isdecimal() else None
