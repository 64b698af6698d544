"""Layers that are held on a GPU: the store's bits, gathered without waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from elmo_core import load_encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.plan import room_on
from elmo_core.store.prepare import hold, prepare
from tests.devices.text import sentences

SENTENCES = sentences(200)
BATCHES = [SENTENCES[i : i + 32] for i in range(0, len(SENTENCES), 32)]


@pytest.fixture(params=["float32", "float16"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FeatureStore:
    ready = FeatureStore(load_encoder("elmo-mini"), tmp_path, request.param)
    prepare(ready, SENTENCES, of="a test")
    return ready


@contextmanager
def no_waits(device: torch.device) -> Iterator[None]:
    """Inside, it is an error if the host waits for the GPU."""
    if device.type != "cuda":
        yield
        return
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_a_batch_has_the_stores_bits(store: FeatureStore, gpu: torch.device) -> None:
    expected = [store.layers(batch) for batch in BATCHES]
    store.hold(gpu)
    store.layers(BATCHES[0])  # what is done once, such as loading kernels, may wait
    with no_waits(gpu):
        found = [store.layers(batch) for batch in BATCHES]
    for mine, other in zip(found, expected, strict=True):
        assert (mine.device.type, mine.dtype) == (gpu.type, other.dtype)
        assert torch.equal(mine.cpu(), other)


def test_the_devices_memory_is_asked_for(store: FeatureStore, gpu: torch.device) -> None:
    if gpu.type != "cuda":
        pytest.skip("no CUDA device")
    room, _ = room_on(gpu)
    assert room <= 0.75 * torch.cuda.get_device_properties(gpu).total_memory
    before = torch.cuda.memory_allocated(gpu)
    hold(store, gpu)
    assert torch.cuda.memory_allocated(gpu) - before >= store.to_hold
    assert store.layers(BATCHES[0]).device.type == "cuda"
