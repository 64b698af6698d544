"""The store gives what the encoder gives, and asks it once."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_core.store import FeatureStore

SENTENCES = [["a", "bc"], ["d"], ["a", "bc"], ["e", "f", "g"]]


class Counting:
    """An encoder that counts what it is asked."""

    name, fingerprint, layers, dim = "counting", "0", 2, 3

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        self.asked += [tuple(s) for s in sentences]
        return [torch.full((2, len(s), 3), float(ord(s[0][0]))) for s in sentences]

    def to(self, device: object) -> Counting:
        return self


def test_each_sentence_is_encoded_once() -> None:
    encoder = Counting()
    store = FeatureStore(encoder)
    assert store.fill(SENTENCES)
    store.layers(SENTENCES)
    store.fill(SENTENCES)
    assert sorted(encoder.asked) == [("a", "bc"), ("d",), ("e", "f", "g")]


def test_layers_are_padded_in_order() -> None:
    store = FeatureStore(Counting())
    layers = store.layers(SENTENCES)
    assert layers.shape == (4, 2, 3, 3)
    assert layers[1, 0, 0, 0] == ord("d")
    assert layers[1, :, 1:].abs().sum() == 0
    assert torch.equal(layers[0], layers[2])


def test_over_budget_it_encodes_as_it_comes() -> None:
    encoder = Counting()
    store = FeatureStore(encoder, budget=10)
    assert not store.fill(SENTENCES)
    kept = FeatureStore(Counting())
    kept.fill(SENTENCES)
    assert torch.equal(store.layers(SENTENCES), kept.layers(SENTENCES))
    assert store.bytes_for([["a", "b"]]) == 4 * 2 * 3 * 2
