"""The memory of tensors on a CPU: kept for the next ones, in large pages."""

from __future__ import annotations

import ctypes
import os
import sys

HUGE_PAGES = "THP_MEM_ALLOC_ENABLE"
"""PyTorch's variable: tensors of 2 MB and more ask Linux for pages of 2 MB."""

SETTINGS = {
    "MALLOC_MMAP_THRESHOLD_": (-3, 2**30),  # what is larger is mapped alone, unmapped when freed
    "MALLOC_TRIM_THRESHOLD_": (-1, -1),  # all that is free at the heap's end stays
    "MALLOC_TOP_PAD_": (-2, 2**26),  # by so much the heap grows at least
}
"""The user's variable, and mallopt's parameter and value, in bytes: mallopt(3)."""


def keep() -> None:
    """Let this process keep the memory of tensors that are freed; to be called before any is made.

    By itself, glibc gives each large one back to the system and asks for it again, and the system
    fills it with zeros, page by page: a sixth of SQuAD's CPU time (docs/performance.md).
    What the user has set is left alone, and so is any other C library.
    """
    os.environ.setdefault(HUGE_PAGES, "1")
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        for variable, (parameter, value) in SETTINGS.items():
            if variable not in os.environ:
                mallopt(parameter, value)
