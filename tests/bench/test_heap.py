"""Memory that nobody holds any more leaves the process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from bench import heap

MB = 2**20


def _resident() -> int:
    """Bytes in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's heap")
def test_holes_go_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap, "EVERY", 0.0)
    callback = heap.TrimmedHeap()
    tensors = [torch.ones(8_000) for _ in range(8_000)]  # 244 MB
    kept = tensors[::100]  # no hole reaches the end
    del tensors
    before = _resident()
    callback.on_train_batch_end()
    assert before - _resident() > 150 * MB
    assert all(tensor.sum() == 8_000 for tensor in kept)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's heap")
def test_it_waits_between_trims() -> None:
    callback = heap.TrimmedHeap()
    calls = []
    callback._libc = type("Library", (), {"malloc_trim": staticmethod(calls.append)})
    callback.on_train_batch_end()
    assert not calls
    callback._last -= heap.EVERY
    callback.on_validation_batch_end()
    callback.on_test_batch_end()
    assert calls == [0]
