"""What is held on a device is what the store gives, bit for bit; without room the store is read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch

from elmo_core.store import plan, prepare, resident
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.resident import Resident
from tests.elmo_core.store.conftest import Noting, by_address, sentences, truth

Opened = Callable[..., FeatureStore]
CPU = torch.device("cpu")
SENTENCES = sentences(60)
WANTED = by_address(SENTENCES)


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "PORTION", 30)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """`memory(free, total)`: what the device has, in bytes."""

    def set_memory(free: int, total: int) -> None:
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (free, total))

    return set_memory


@pytest.mark.parametrize("precision", ["float32", "float16"])
@pytest.mark.parametrize("way", ["fill", "keep"])
def test_the_layers_are_the_stores(
    opened: Opened, small_shards: int, precision: str, way: str
) -> None:
    encoder = Noting()
    store = opened(encoder, precision)
    getattr(store, way)(WANTED)
    batches = [SENTENCES, SENTENCES[3:7], SENTENCES[5:6], [SENTENCES[8], SENTENCES[8]]]
    expected = [store.layers(batch) for batch in batches]
    encoder.asked.clear()
    store._index = dict(reversed(store._index.items()))  # in whatever order it was taken in
    store.hold(CPU)
    store._index.clear()  # nothing comes from the host any more
    for batch, layers in zip(batches, expected, strict=True):
        found = store.layers(batch)
        assert found.dtype == layers.dtype
        assert found.stride() == layers.stride()
        assert torch.equal(found, layers)
    assert encoder.asked == []


def test_a_batch_with_anything_else_comes_from_the_store(opened: Opened) -> None:
    """As the test split does, which is not encoded before training is over."""
    store = opened()
    store.fill(by_address(SENTENCES[:30]))
    store.hold(CPU)
    store.fill(by_address(SENTENCES[:40]))
    for batch in (SENTENCES[:30], SENTENCES[28:32], SENTENCES[38:42]):
        assert torch.equal(store.layers(batch), truth(batch))


def test_layer_0_stored_once_and_twice() -> None:
    """Side by side, as shards of different text may have it."""
    once, twice = torch.randn(2, 10), torch.randn(3, 12)
    table = Resident({b"1": once.numpy(), b"2": twice.numpy()}, layers=3, dim=4, device=CPU)
    layers = table.layers([b"1", b"2"])
    assert torch.equal(
        layers[0, :, :2], torch.cat([once[:, :2], once], 1).view(2, 3, 4).transpose(0, 1)
    )
    assert torch.equal(layers[1], twice.view(3, 3, 4).transpose(0, 1))
    assert not layers[0, :, 2].any()
    assert resident.size({b"1": once.numpy(), b"2": twice.numpy()}) == 6 * 12 * 4


def test_it_is_held_if_a_quarter_of_the_memory_is_left(
    opened: Opened, memory: Callable[[int, int], None], caplog: pytest.LogCaptureFixture
) -> None:
    store = opened()
    store.fill(WANTED)
    needed = (1 + sum(map(len, WANTED.values()))) * (3 * 4 - 2) * 4
    assert store.to_hold == needed
    with caplog.at_level(logging.INFO):
        memory(needed + 999, 4000)
        prepare.hold(store, CPU)
        assert caplog.messages == [
            "features: not held on cpu: 0.0 MB are needed, 0.0 MB are free, "
            "0.0 MB of them for training"
        ]
        assert store._resident is None
        memory(needed + 1000, 4000)
        prepare.hold(store, CPU)
    assert caplog.messages[1].startswith("features: 0.0 MB held on cpu; ")
    assert store._resident is not None
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_memory_that_another_took_meanwhile(
    opened: Opened,
    memory: Callable[[int, int], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.cuda.OutOfMemoryError

    store = opened()
    store.fill(WANTED)
    memory(1 << 40, 0)
    monkeypatch.setattr(resident, "torch", SimpleNamespace(zeros=full, from_numpy=torch.from_numpy))
    with caplog.at_level(logging.INFO):
        prepare.hold(store, CPU)
    assert "not held on cpu: 0.0 MB are needed, another process took what was free" in caplog.text
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_what_is_encoded_live_is_not_held(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        prepare.hold(opened(), CPU)
    assert caplog.messages == ["features: not held on cpu, since they are encoded live"]


def test_what_torch_keeps_for_later_is_free(
    memory: Callable[[int, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory(1, 400)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: memory(300, 400))
    assert plan.room_on(CPU)[0] == 200
