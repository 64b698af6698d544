"""A biLM's token layer, computed once a word and kept; the LSTMs run live."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.char_cnn import CharCNN
from elmo_core.encoder import KeepsWords
from elmo_core.encoders.elmo import ElmoEncoder

WORDS = [f"{a}{b}" for a in "abcdef" for b in ("x", "yy", "z" * 60)]
SENTENCES = [random.Random(i).choices(WORDS, k=i + 1) for i in range(8)]


@pytest.fixture
def encoder(make_bilm: Callable[..., BiLM]) -> ElmoEncoder:
    return ElmoEncoder(make_bilm(scale=1.0), "tiny")  # larger weights make rounding grow


def close(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(torch.allclose(a, b, atol=1e-6) for a, b in zip(one, other, strict=True))


def test_kept_words_are_not_spelled_again(
    encoder: ElmoEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(encoder, KeepsWords)
    expected = encoder.encode(SENTENCES)
    encoder.keep_words(iter(WORDS[:9]))
    encoder.keep_words(WORDS[9:])

    def spell(self: CharCNN, char_ids: torch.Tensor) -> Any:
        raise AssertionError("every word is kept")

    monkeypatch.setattr(CharCNN, "forward", spell)
    assert close(encoder.encode(SENTENCES), expected)


def test_words_that_are_not_kept_are_spelled(encoder: ElmoEncoder) -> None:
    expected = encoder.encode(SENTENCES)
    encoder.keep_words(WORDS[::2])
    assert close(encoder.encode(SENTENCES), expected)
    encoder.keep_words([])
    assert close(encoder.encode(SENTENCES), expected)


def test_another_device_starts_anew(encoder: ElmoEncoder) -> None:
    encoder.keep_words(WORDS)
    encoder.bilm.char_cnn.projection.bias.data += 1
    changed = encoder.to("cpu").encode(SENTENCES)
    assert close(changed, ElmoEncoder(encoder.bilm, "the same").encode(SENTENCES))
