"""A fragmented heap goes back to the system after a batch, and not before it is worth it."""

from __future__ import annotations

import platform
from multiprocessing import get_context

import pytest

from bench.run.callbacks.memory import HeapTrimmer, own_memory

PIECE, PIECES = 2**16, 4096  # 256 MiB, each piece too small to be mapped alone


def grown(room: int) -> tuple[int, int]:
    """Leave a hole of half of the heap; the bytes by which it has grown, before and after a
    batch."""
    trimmer, before = HeapTrimmer(room), own_memory()
    trimmer.on_train_batch_end()
    pieces = [b"\1" * PIECE for _ in range(PIECES)]
    del pieces[::2]  # the others keep the heap's end where it is
    full = own_memory() - before
    trimmer.on_train_batch_end()
    left = own_memory() - before
    assert len(pieces) == PIECES // 2
    return full, left


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
@pytest.mark.parametrize("room", [2**26, 2**40])
def test_holes_in_the_heap_are_given_back_once_it_has_grown(room: int) -> None:
    with get_context("spawn").Pool(1) as alone:  # a heap in which no other test left holes
        full, left = alone.apply(grown, [room])
    assert full > 0.8 * PIECE * PIECES
    assert (left < 0.65 * PIECE * PIECES) == (room < full)
