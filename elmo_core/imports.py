"""How a command imports torch: ready for long work, and quicker."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from elmo_core import cores, heap


@contextmanager
def importing_torch() -> Iterator[None]:
    """Inside, a command imports torch, Lightning and what needs them.

    Memory is kept (`elmo_core.heap`), threads fit the cores and share them (`elmo_core.cores`). No
    garbage is collected, and what was imported is never searched for garbage, which takes a
    fifth off: imports make a million objects, and they stay. The end of the process passes them
    by, too, and is quicker for it; but not where triton is imported (by torch's CUDA builds), which
    prints what is not freed then as its leaks.
    """
    heap.keep()
    cores.share()
    enabled, modules = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > modules:
            gc.freeze()
            atexit.register(_free_for_triton)
        if enabled:
            gc.enable()
        cores.fit()


def _free_for_triton() -> None:
    if "triton" in sys.modules:
        gc.unfreeze()
