"""Memory that is given back: glibc's heap, trimmed now and then."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from pytorch_lightning import Callback

ROOM = 2**31  # bytes that the heap may grow by before it is trimmed


def own_memory() -> int:
    """Return the bytes that are the process's own, mapped files left out; 0 outside of Linux."""
    try:
        _, resident, shared, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


class HeapTrimmer(Callback):
    """Trims the heap after a batch, once it has grown by `room` bytes since the first batch, or
    since the one after it was last trimmed: what a batch needs is kept for the next one.

    Tensors of ever other sizes fragment it, and left alone it grows with every epoch
    (docs/performance.md). Under another C library nothing is done.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self.level: int | None = None  # of a batch after which nothing lay idle yet
        self.trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if own_memory() else None

    def _after_batch(self, *_: object, **__: object) -> None:
        if self.trim is None:
            return
        memory = own_memory()
        if self.level is None:
            self.level = memory
        elif memory > self.level + self.room:
            self.trim(0)
            self.level = None

    on_train_batch_end = on_validation_batch_end = on_test_batch_end = _after_batch
