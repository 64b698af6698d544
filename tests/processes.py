"""Other processes, as tests look at them: whether they run, and whom they have started."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def wait_for(found: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """Those that it has started, theirs, and so on."""
    try:
        words = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended
        return []
    own = [int(word) for word in words]
    return own + [further for child in own for further in children(child)]


def running(process: int) -> bool:
    """Whether there is such a process, and it is no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
