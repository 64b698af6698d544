"""An encoder that notes what it is asked, and sentences to ask for."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor

from elmo_core.store import feature_store
from elmo_core.store.feature_store import FeatureStore, Sentence
from elmo_core.store.shards import address

LAYERS, DIM = 3, 4


class Noting:
    """Layers that depend on the sentence alone; layer 0 is the same twice, as a biLM's is."""

    layers, dim, parameters = LAYERS, DIM, 0

    def __init__(self, name: str = "noting", scale: float = 1.0) -> None:
        self.name, self.fingerprint, self.scale = name, f"{name}-{scale}", scale
        self.asked: list[Sentence] = []

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        self.asked += [tuple(words) for words in sentences]
        return [self._encode(words) for words in sentences]

    def _encode(self, words: Sequence[str]) -> Tensor:
        generator = torch.Generator().manual_seed(int.from_bytes(address(words)[:7], "little"))
        layers = torch.randn(self.layers, len(words), self.dim, generator=generator)
        layers *= self.scale
        layers[0, :, : self.dim // 2] = layers[0, :, self.dim // 2 :]
        return layers

    def to(self, device: object) -> Noting:
        return self


def sentences(count: int, seed: int = 0) -> list[Sentence]:
    drawn = random.Random(seed)
    found = [
        tuple(f"w{drawn.randrange(50)}" for _ in range(drawn.randint(1, 9))) for _ in range(count)
    ]
    return found + found[: count // 10]


def by_address(some: Sequence[Sentence]) -> dict[bytes, Sentence]:
    return {address(words): words for words in some}


def truth(some: Sequence[Sentence]) -> Tensor:
    """What the store's `layers` must be, by hand."""
    padded = torch.zeros(len(some), LAYERS, max(map(len, some)), DIM)
    for row, layers in zip(padded, Noting().encode(some), strict=True):
        row[:, : layers.shape[1]] = layers
    return padded


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> int:
    """Tokens in a shard."""
    monkeypatch.setattr(feature_store, "SHARD_TOKENS", 40)
    return 40


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., FeatureStore]:
    """A store in the test's own folder."""

    def make(encoder: Noting | None = None, precision: str = "float32") -> FeatureStore:
        return FeatureStore(encoder or Noting(), tmp_path / "features", precision)

    return make
