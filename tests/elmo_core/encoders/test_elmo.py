"""encode(): the same numbers in any company."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from elmo_core import devices
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.chars import sentence_ids
from elmo_core.encoders.batches import batches
from elmo_core.encoders.elmo import ElmoEncoder

PIECES = [*"abcdefghij ABC.,!?é", "漢", "😀", "\u0301", "\ud800", "\0", "ß", "\u200f", "x" * 60]


@pytest.fixture
def encoder(make_bilm: Callable[..., BiLM]) -> ElmoEncoder:
    return ElmoEncoder(make_bilm(), "tiny")


def some_sentences(count: int, seed: int, longest: int = 30) -> list[list[str]]:
    rng = random.Random(seed)

    def word() -> str:
        return "".join(rng.choices(PIECES, k=rng.randint(1, 6)))

    vocabulary = [word() for _ in range(60)]
    return [rng.choices(vocabulary, k=rng.randint(1, longest)) for _ in range(count)]


@pytest.mark.parametrize("budget", [1, 50, 4096])
def test_company_and_batch_size_do_not_matter(
    encoder: ElmoEncoder, monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    sentences = some_sentences(40, seed=1, longest=20)
    alone = [encoder.encode([words])[0] for words in sentences]
    monkeypatch.setattr(devices, "CPU", replace(devices.CPU, tokens=budget, words=7))
    for seed in range(3):
        order = list(range(len(sentences)))
        random.Random(seed).shuffle(order)
        together = encoder.encode([sentences[i] for i in order])
        for i, got in zip(order, together, strict=True):
            torch.testing.assert_close(got, alone[i], atol=1e-5, rtol=0)


def test_encode_is_the_model_from_zero_state_without_boundaries(encoder: ElmoEncoder) -> None:
    words = ["The", "bank", "closed", "."]
    layers, _ = encoder.bilm(sentence_ids([words]))
    got = encoder.encode([words])[0]
    assert got.shape == (encoder.layers, 4, encoder.dim)
    torch.testing.assert_close(got, layers[0, :, 1:-1], atol=1e-5, rtol=0)


def test_results_may_be_used_in_an_autograd_graph(encoder: ElmoEncoder) -> None:
    scale = torch.ones((), requires_grad=True)
    (encoder.encode([["a"]])[0] * scale).sum().backward()
    assert scale.grad is not None
    assert all(parameter.grad is None for parameter in encoder.bilm.parameters())
    assert not any(parameter.requires_grad for parameter in encoder.bilm.parameters())


def test_batches_are_within_the_budget_and_complete() -> None:
    lengths = [random.Random(3).randint(1, 50) for _ in range(300)] + [9000]
    found = list(batches(lengths, 1000, 30))
    assert sorted(i for batch in found for i in batch) == list(range(301))
    for batch in found:
        assert len(batch) <= 30
        assert len(batch) == 1 or max(lengths[i] for i in batch) * len(batch) <= 1000


@pytest.mark.slow
def test_memory_is_bounded_by_the_results() -> None:
    """A sentence of 10,000 tokens; then a corpus in 40 parts, each thrown away."""
    pytest.importorskip("resource", reason="no Unix")
    script = """
import random, resource
from elmo_core.encoders.random import random_elmo

def peak():  # MB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

draw = random.Random(0)
words = ["".join(draw.choices("abcdefgh", k=5)) for _ in range(3000)]
encoder = random_elmo("elmo-mini")
encoder.encode([words])  # the products' weights, 3,000 words
before = peak()
long = encoder.encode([draw.choices(words, k=10_000)])
print(peak() - before)
del long
for part in range(40):
    encoder.encode([draw.choices(words, k=draw.randint(1, 40)) for _ in range(150)])
    if part == 9:  # products of nearly all sizes have been met
        before = peak()
print(peak() - before)
"""
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    longest, corpus = map(float, said.split())
    assert longest < 10 * 10_000 * 3 * 256 * 4 / 1e6  # ten times its layers
    assert corpus < 60  # the parts' layers: 280
