"""The character CNN against its definition: filter by filter, over all places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_core import devices
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.char_cnn import CharCNN
from elmo_core.bilm.chars import word_ids

LENGTHS = (44, 45, 46, 47, 60)  # around where a filter's last place is a padding's
WORDS = ["a", "word", "äöü", "longer-word", "abcabcabc", *"bcdefgh", *("x" * n for n in LENGTHS)]


def by_definition(cnn: CharCNN, char_ids: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
    """Kim et al. 2015, with the highway of Srivastava et al. 2015: the gate keeps the new."""
    spelled = F.pad(cnn.embedding, (0, 0, 1, 0))[char_ids].transpose(1, 2)
    x = torch.cat([activation(bank(spelled)).amax(dim=-1) for bank in cnn.banks], dim=-1)
    highways: Any = cnn.highways
    for highway in highways:
        gate = highway.carry(x).sigmoid()
        x = gate * highway.transform(x).relu() + (1 - gate) * x
    return cnn.projection(x)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("chunk", [1, 3, 256])
def test_vectors_and_gradients_are_those_of_the_definition(
    tiny_options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, chunk: int, activation: str
) -> None:
    monkeypatch.setattr(devices, "CPU", replace(devices.CPU, words=chunk))
    tiny_options["char_cnn"]["activation"] = activation
    cnn = BiLM(tiny_options).double().char_cnn
    char_ids = torch.tensor([word_ids(word, 50) for word in WORDS])
    found = []
    for vectors in (cnn(char_ids), by_definition(cnn, char_ids, getattr(torch, activation))):
        weight = torch.linspace(-1, 1, vectors.numel()).view_as(vectors)
        gradients = torch.autograd.grad((vectors * weight).sum(), list(cnn.parameters()))
        found.append([vectors, *gradients])
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain)


def test_no_words(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    assert bilm.char_cnn(torch.zeros(0, 50, dtype=torch.int64)).shape == (0, bilm.dim // 2)
