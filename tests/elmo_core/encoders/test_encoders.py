"""What every encoder promises, checked for each kind, built from its configuration."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

from bench.config import CONF
from elmo_core import Encoder
from elmo_core.encoders.checked import Checked
from tests.encoder_files import KINDS, WORDS

Build = Callable[[str], Encoder]
ODD = [*"\u200d\0😀\ud800\u00a0", "漢字", "e\u0301", "x" * 60, "[SEP]", "</s>", ". . ."]
LAYERS = {"static": 1}
"""Of those that have not three, as the files of the others are made here."""


@pytest.fixture(scope="module")
def build(configured: Callable[..., DictConfig], tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A new encoder of a kind, from files that stay the same."""
    made: dict[str, DictConfig] = {}

    def new(kind: str) -> Encoder:
        if kind not in made:
            made[kind] = configured(*KINDS[kind](tmp_path_factory.mktemp(kind)))
        return Checked(instantiate(made[kind].encoder))

    return new


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def encoder(kind: str, build: Build) -> Encoder:
    return build(kind)


def some_sentences(count: int = 12) -> list[list[str]]:
    drawn = random.Random(0)
    return [drawn.choices(WORDS + ODD, k=drawn.randint(1, 20)) for _ in range(count)]


def test_layers_and_width_are_as_announced(kind: str, encoder: Encoder) -> None:
    assert encoder.name
    assert encoder.layers == LAYERS.get(kind, 3)
    (layers,) = encoder.encode([["The", "bank", "closed", "."]])
    assert layers.shape == (encoder.layers, 4, encoder.dim)
    assert encoder.encode([]) == []


def test_company_does_not_matter(encoder: Encoder) -> None:
    sentences = some_sentences()
    alone = [encoder.encode([words])[0] for words in sentences]
    order = random.Random(1).sample(range(len(sentences)), len(sentences))
    for i, got in zip(order, encoder.encode([sentences[i] for i in order]), strict=True):
        torch.testing.assert_close(got, alone[i], atol=1e-5, rtol=0)


def test_words_and_layers_differ(kind: str, encoder: Encoder) -> None:
    """Context matters above layer 0 where there is any; no layer is a copy of another."""
    one, other = encoder.encode([["the", "bank", "closed"], ["a", "bank", "sleeps"]])
    assert not torch.allclose(one[:, 0], one[:, 1], atol=1e-3)
    if kind == "static":
        assert torch.equal(one[:, 1], other[:, 1])
    else:
        assert not torch.allclose(one[1:, 1], other[1:, 1], atol=1e-3)
        for lower, upper in pairwise(one[:, 1]):
            assert not torch.allclose(lower, upper, atol=1e-3)


def test_results_stand_on_their_own(encoder: Encoder) -> None:
    """Without gradient, no view that would keep a batch in memory, fit for an autograd graph."""
    for layers in encoder.encode([["a", "bank"], ["."]]):
        assert not layers.requires_grad
        assert layers.dtype == torch.float32
        assert layers.untyped_storage().nbytes() == layers.numel() * 4
        scale = torch.ones((), requires_grad=True)
        (layers * scale).sum().backward()


def test_the_trainer_around_it_does_not_change_the_numbers(encoder: Encoder) -> None:
    sentences = some_sentences(4)
    expected = encoder.encode(sentences)
    torch.set_float32_matmul_precision("medium")
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            got = encoder.encode(sentences)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))


def test_the_place_of_an_error_is_named(encoder: Encoder) -> None:
    with pytest.raises(ValueError, match="sentence 1 is empty"):
        encoder.encode([["a"], []])
    with pytest.raises(ValueError, match="sentence 0, token 2"):
        encoder.encode([["a", "b", ""]])


def test_the_same_files_give_the_same_encoder(kind: str, encoder: Encoder, build: Build) -> None:
    torch.manual_seed(7)
    again = build(kind)
    assert again.fingerprint == encoder.fingerprint
    assert torch.equal(again.encode([["a", "bank"]])[0], encoder.encode([["a", "bank"]])[0])


def test_kinds_have_different_fingerprints(build: Build) -> None:
    kinds = ["elmo", "manylangs", "random", "static", "cove", "concat"]
    assert len({build(kind).fingerprint for kind in kinds}) == len(kinds)


def test_parameters_are_counted(encoder: Encoder) -> None:
    assert isinstance(encoder, Checked)
    assert encoder.parameters > 60


@pytest.mark.parametrize("path", sorted(CONF.glob("encoder/*.yaml")), ids=lambda path: path.stem)
def test_every_configuration_composes(path: Path, configured: Callable[..., DictConfig]) -> None:
    assert "_target_" in list(configured(f"encoder={path.stem}").encoder)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_gpu_and_cpu_agree(kind: str, build: Build) -> None:
    sentences = some_sentences()
    expected = build(kind).encode(sentences)
    got = build(kind).to("cuda").encode(sentences)
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=0)
