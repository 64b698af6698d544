"""Encoders side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core.encoders.concat import ConcatEncoder
from elmo_core.encoders.static import StaticEncoder
from elmo_core.errors import OptionsError
from tests.encoder_files import glove


class Numbers:
    """An encoder whose layer j says j and the length of the word."""

    def __init__(self, name: str, layers: int, dim: int) -> None:
        self.name, self.layers, self.dim = name, layers, dim
        self.fingerprint = f"{name}-{layers}-{dim}"
        self.parameters = 0
        self.device: torch.device | str = "cpu"

    def to(self, device: torch.device | str) -> Numbers:
        self.device = device
        return self

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        layer = torch.arange(self.layers).view(-1, 1, 1)
        sizes = [torch.tensor([len(word) for word in words]).view(1, -1, 1) for words in sentences]
        return [(layer * 10.0 + size).repeat(1, 1, self.dim) for size in sizes]


def test_layers_stand_side_by_side_and_a_single_one_is_repeated(tmp_path: Path) -> None:
    static = StaticEncoder(glove(tmp_path / "glove.txt", dim=4))
    parts: dict[str, Any] = {"a": Numbers("a", 3, 2), "b": static, "c": Numbers("c", 3, 1)}
    encoder = ConcatEncoder(**parts)
    words = ["the", "bank"]
    (layers,) = encoder.encode([words])
    expected = [*parts["a"].encode([words]), static.encode([words])[0].expand(3, 2, 4)]
    expected += parts["c"].encode([words])
    assert (encoder.name, encoder.layers, encoder.dim) == ("a+glove+c", 3, 7)
    assert torch.equal(layers, torch.cat(expected, dim=-1))


def test_parts_and_their_order_decide_the_fingerprint() -> None:
    def concat(*parts: Any) -> str:
        return ConcatEncoder(**{part.name: part for part in parts}).fingerprint

    a, b, c = Numbers("a", 2, 1), Numbers("b", 2, 1), Numbers("c", 2, 1)
    assert len({concat(a, b), concat(b, a), concat(a, c), concat(a, b, c)}) == 4
    assert concat(a, b) == concat(a, b)


def test_all_go_to_the_device() -> None:
    parts = {"a": Numbers("a", 2, 1), "b": Numbers("b", 2, 1)}
    ConcatEncoder(**parts).to("cuda")
    assert [part.device for part in parts.values()] == ["cuda", "cuda"]


def test_what_cannot_stand_together() -> None:
    with pytest.raises(OptionsError, match="a has 3, b has 2"):
        ConcatEncoder(a=Numbers("a", 3, 1), b=Numbers("b", 2, 1))
    with pytest.raises(OptionsError, match="two encoders or more, got 1"):
        ConcatEncoder(a=Numbers("a", 3, 1))
