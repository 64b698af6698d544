"""FrozenBiLM computes BiLM's layers; products do not depend on how they are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from elmo_core import devices
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.frozen import FrozenBiLM
from elmo_core.encoders.elmo import ElmoEncoder
from elmo_core.products import path, product

SENTENCES = [
    [5, 6, 7],
    [2, 3, 4, 5, 6, 7, 8, 9, 10],
    [11],
    [2, 3, 4, 5, 9, 9, 9, 9, 10],  # begins as another does, ends as yet another
    [5, 6, 7],
    [3, 4, 8, 9, 10],
    [2, 3, 4],
]
LONGEST = 9


@pytest.fixture(params=["packed", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With oneDNN's packed product, where this machine has it, and with torch's default."""
    if request.param == "packed" and not path.has_onednn():
        pytest.skip("no packed product here")
    monkeypatch.setattr(path, "packs", lambda: request.param == "packed")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("clip", [None, 0.2])
@torch.no_grad()
def test_layers_are_those_of_the_bilm(
    make_bilm: Callable[..., BiLM], monkeypatch: pytest.MonkeyPatch, skip: bool, clip: float | None
) -> None:
    bilm = make_bilm(use_skip_connections=skip, cell_clip=clip, proj_clip=clip)
    # Chunks of three rows: most steps together with others, some too large for one.
    few = replace(devices.CPU, gates=3 * 4 * bilm.options.cells)
    monkeypatch.setattr(devices, "CPU", few)
    for weight in bilm.parameters():
        weight.normal_(std=0.5)
    table = torch.randn(12, bilm.dim // 2)
    tokens = torch.zeros(len(SENTENCES), LONGEST + 2, bilm.dim // 2)
    for i, words in enumerate(SENTENCES):
        tokens[i, : len(words) + 2] = table[[0, *words, 1]]
    expected, _ = bilm.contextualise(tokens, torch.tensor([len(words) + 2 for words in SENTENCES]))
    found = FrozenBiLM(bilm).contextualise(table, SENTENCES)
    for words, ours, layers in zip(SENTENCES, found, expected, strict=True):
        torch.testing.assert_close(ours, layers[:, 1 : len(words) + 1], atol=1e-5, rtol=1e-5)


@pytest.mark.usefixtures("way")
def test_a_product_is_a_product() -> None:
    weight, x = torch.randn(40, 24), torch.randn(5, 24)
    torch.testing.assert_close(product(weight)(x), x @ weight.t())
    rough = product(weight, "bfloat16")(x)
    assert rough.dtype == torch.float32
    torch.testing.assert_close(rough, x @ weight.t(), atol=0.2, rtol=0.05)
    assert product(weight)(x[:1]).shape == (1, 40)


@pytest.mark.usefixtures("way")
def test_a_processor_without_bfloat16_gives_the_same_product(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weight, bias, x = torch.randn(40, 24), torch.randn(40), torch.randn(5, 24)
    rounded = F.linear(x.bfloat16(), weight.bfloat16())
    monkeypatch.setattr(path, "multiplies_bfloat16", lambda: False)
    for given in (None, bias):
        found = product(weight, "bfloat16", given)(x)
        expected = rounded.float() if given is None else rounded.float() + given
        torch.testing.assert_close(found, expected, rtol=2**-7, atol=1e-6)  # a last bit
        assert (found == expected).float().mean() > 0.9


def test_precision_is_part_of_the_fingerprint_and_close(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    exact, rough = ElmoEncoder(bilm, "tiny"), ElmoEncoder(bilm, "tiny", "bfloat16")
    assert exact.fingerprint != rough.fingerprint
    a, b = (encoder.encode([["a", "b"]])[0] for encoder in (exact, rough))
    torch.testing.assert_close(a, b, atol=0.05, rtol=0.05)
    assert not torch.equal(a, b)
