"""Attention of reading models, checked word by word."""

from __future__ import annotations

from math import exp

import pytest
import torch
from torch import Tensor

from tasks.nn.biattention import BiAttention
from tasks.nn.self_attention import SelfAttention
from tasks.nn.trilinear import Trilinear

DIM = 5


def masks(*lengths: int) -> Tensor:
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)


def similarity(layer: Trilinear, a: Tensor, b: Tensor) -> float:
    w = torch.cat([layer.left, layer.right, layer.both])
    return (w @ torch.cat([a, b, a * b])).item()


@pytest.fixture
def texts() -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    return torch.randn(3, 6, DIM), torch.randn(3, 4, DIM)


def test_trilinear(texts: tuple[Tensor, Tensor]) -> None:
    layer = Trilinear(DIM)
    scores = layer(*texts)
    for k, i, j in ((0, 0, 0), (1, 5, 2), (2, 3, 3)):
        expected = similarity(layer, texts[0][k, i], texts[1][k, j])
        assert scores[k, i, j].item() == pytest.approx(expected, abs=1e-5)
    assert layer.both.abs().max() <= (3 / DIM) ** 0.5


def test_biattention(texts: tuple[Tensor, Tensor]) -> None:
    layer = BiAttention(DIM)
    (c, q), (m, n) = texts, ([6, 2, 4], [3, 4, 1])
    output = torch.cat(layer(c, q, masks(*m), masks(*n)), dim=2)
    assert output.shape == (3, 6, layer.output_dim)
    for k in range(3):
        scores = [[similarity(layer.similarity, x, y) for y in q[k, : n[k]]] for x in c[k, : m[k]]]
        best = [exp(max(row)) for row in scores]
        whole = sum(w / sum(best) * x for w, x in zip(best, c[k], strict=False))
        for i, row in enumerate(scores):
            weights = torch.tensor(row).softmax(0)
            seen = sum(w * y for w, y in zip(weights, q[k], strict=False))
            x = c[k, i]
            expected = torch.cat([x, seen, x * seen, x * whole])
            assert torch.allclose(output[k, i], expected, atol=1e-5)


def test_self_attention(texts: tuple[Tensor, Tensor]) -> None:
    layer, x, lengths = SelfAttention(DIM), texts[0], [6, 2, 1]
    output = layer(x, masks(*lengths))
    assert layer.nothing.item() == -1
    for k, length in enumerate(lengths):
        for i in range(length):
            others = [j for j in range(length) if j != i]
            shares = [exp(similarity(layer.similarity, x[k, i], x[k, j])) for j in others]
            total = sum(shares) + exp(-1)
            expected = sum(
                (s / total * x[k, j] for s, j in zip(shares, others, strict=True)), 0 * x[0, 0]
            )
            assert torch.allclose(output[k, i], expected, atol=1e-5)


@pytest.mark.parametrize("scores", [1, 40, 100])
def test_self_attention_in_portions(texts: tuple[Tensor, Tensor], scores: int) -> None:
    """Rows at a time, as many as make `scores` numbers: the same function, the same gradient."""
    x, mask = texts[0].requires_grad_(), masks(6, 2, 4)
    whole = SelfAttention(DIM)
    parts = SelfAttention(DIM, scores)
    parts.load_state_dict(whole.state_dict())
    assert torch.allclose(whole(x, mask), parts(x, mask), atol=1e-6)
    gradients = [torch.autograd.grad(layer(x, mask).sum(), x)[0] for layer in (whole, parts)]
    assert torch.allclose(*gradients, atol=1e-6)


def test_self_attention_holds_no_square_of_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, sizes = SelfAttention(DIM, scores=2**16), []
    score = layer.similarity.forward

    def noted(a: Tensor, b: Tensor) -> Tensor:
        scores = score(a, b)
        sizes.append(scores.numel())
        return scores

    monkeypatch.setattr(layer.similarity, "forward", noted)
    with torch.no_grad():
        layer(torch.randn(1, 3000, DIM), torch.ones(1, 3000, dtype=torch.bool))
    assert sum(sizes) == 3000**2
    assert max(sizes) <= 2**16
