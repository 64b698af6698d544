"""The heap of the C library: what it keeps for nobody goes back to the system."""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

import pytorch_lightning as pl

EVERY = 15.0  # seconds; a trim takes some tenths of one


class TrimmedHeap(pl.Callback):
    """Keeps a long run on the CPU near the memory that its steps need.

    Tensors of ever other sizes leave holes in glibc's heap, which it does not return by itself:
    training on SQuAD grew to several times what it used. Elsewhere than on Linux nothing is done.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._last = time.monotonic()

    def on_train_batch_end(self, *_: Any) -> None:
        now = time.monotonic()
        if now - self._last >= EVERY:
            self._last = now
            if hasattr(self._libc, "malloc_trim"):  # musl has none
                self._libc.malloc_trim(0)

    on_validation_batch_end = on_test_batch_end = on_train_batch_end
