"""A fragmented heap goes back to the system after a batch, and not before it is worth it."""

from __future__ import annotations

import ctypes
import platform

import pytest

from bench.run.callbacks.memory import HeapTrimmer, own_memory

PIECE, PIECES = 2**16, 4096  # 256 MiB, each piece too small to be mapped alone


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
@pytest.mark.parametrize("room", [2**26, 2**40])
def test_holes_in_the_heap_are_given_back_once_it_has_grown(room: int) -> None:
    ctypes.CDLL(None).malloc_trim(0)  # the holes that other tests left
    trimmer, before = HeapTrimmer(room), own_memory()
    trimmer.on_train_batch_end()
    pieces = [b"\1" * PIECE for _ in range(PIECES)]
    del pieces[::2]  # the others keep the heap's end where it is
    full = own_memory() - before
    trimmer.on_train_batch_end()
    left = own_memory() - before
    assert full > 0.8 * PIECE * PIECES
    assert (left < 0.65 * PIECE * PIECES) == (room < full)
    assert len(pieces) == PIECES // 2
