"""The character CNN against its definition: filter by filter, over all places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_core import devices
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.char_cnn import CharCNN
from elmo_core.bilm.chars import word_ids

WORDS = ["a", "word", "x" * 44, "x" * 60, "äöü", "longer-word", "abcabcabc", *"bcdefgh"]


def by_definition(cnn: CharCNN, char_ids: Tensor) -> Tensor:
    spelled = F.pad(cnn.embedding, (0, 0, 1, 0))[char_ids].transpose(1, 2)
    features = torch.cat([cnn.activation(bank(spelled)).amax(dim=-1) for bank in cnn.banks], dim=-1)
    for highway in cnn.highways:
        features = highway(features)
    return cnn.projection(features)


@pytest.mark.parametrize("chunk", [3, 256])
def test_vectors_and_gradients_are_those_of_the_definition(
    make_bilm: Callable[..., BiLM], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(devices, "CPU", replace(devices.CPU, words=chunk))
    cnn = make_bilm().requires_grad_(True).double().char_cnn
    char_ids = torch.tensor([word_ids(word, 50) for word in WORDS])
    found = []
    for vectors in (cnn(char_ids), by_definition(cnn, char_ids)):
        weight = torch.linspace(-1, 1, vectors.numel()).view_as(vectors)
        gradients = torch.autograd.grad((vectors * weight).sum(), list(cnn.parameters()))
        found.append([vectors, *gradients])
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain)


def test_no_words(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    assert bilm.char_cnn(torch.zeros(0, 50, dtype=torch.int64)).shape == (0, bilm.dim // 2)
