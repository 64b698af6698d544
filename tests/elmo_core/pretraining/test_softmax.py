"""The sampled softmax against its definition, word by word."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from elmo_core.devices import CPU
from elmo_core.pretraining import softmax as code
from elmo_core.pretraining.softmax import Negatives, Softmax, draw, log_uniform

SIZE, DIM, N = 40, 6, 25
Case = tuple[Softmax, torch.Tensor, torch.Tensor]  # the softmax, vectors, targets


@pytest.fixture
def case() -> Case:
    torch.manual_seed(0)
    softmax = Softmax(SIZE, DIM).double()
    torch.nn.init.normal_(softmax.bias)
    return softmax, torch.randn(N, DIM).double().requires_grad_(), torch.randint(SIZE, (N,))


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def gradients(
    loss: torch.Tensor, softmax: Softmax, vectors: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    return torch.autograd.grad(loss, [vectors, softmax.weight, softmax.bias])


def by_definition(
    softmax: Softmax, vectors: torch.Tensor, targets: torch.Tensor, negatives: Negatives
) -> torch.Tensor:
    """−log p of each target among itself and the negatives that are not it, one at a time."""
    p = log_uniform(torch.arange(SIZE), SIZE).double()
    expected = -torch.expm1(negatives.tries * torch.log1p(-p))
    logits = F.linear(vectors, softmax.weight, softmax.bias) - expected.log()
    losses = []
    for row, target in zip(logits, targets.tolist(), strict=True):
        others = [w for w in negatives.words.tolist() if w != target]
        losses.append(-F.log_softmax(row[[target, *others]], dim=0)[0])
    return torch.stack(losses).mean()


@pytest.mark.parametrize("chunk", [1, 7 * 12, 1 << 20])
def test_sampled_loss_and_gradients_are_those_of_the_definition(
    case: Case, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(code, "portions", lambda _: replace(CPU, logits=chunk))
    softmax, vectors, targets = case
    negatives = draw(12, SIZE, generator(0))
    assert set(targets.tolist()) & set(negatives.words.tolist())  # accidental hits occur
    ours = softmax.loss(vectors, targets, negatives)
    theirs = by_definition(softmax, vectors, targets, negatives)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    for a, b in zip(*(gradients(x, softmax, vectors) for x in (ours, theirs)), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


def test_without_negatives_it_is_the_full_softmax(case: Case) -> None:
    softmax, vectors, targets = case
    ours = softmax.loss(vectors, targets, None)
    theirs = F.cross_entropy(F.linear(vectors, softmax.weight, softmax.bias), targets)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(softmax.losses(vectors, targets).mean(), ours.float())
    for a, b in zip(*(gradients(x, softmax, vectors) for x in (ours, theirs)), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


def test_the_sampler_is_log_uniform_without_replacement() -> None:
    p = log_uniform(torch.arange(SIZE), SIZE)
    assert p.sum().item() == pytest.approx(1)
    assert p[3].item() == pytest.approx(math.log(5 / 4) / math.log(SIZE + 1))
    draws = [draw(10, SIZE, generator(seed)) for seed in range(2000)]
    for drawn in draws:
        assert len(drawn.words.unique()) == 10
        assert drawn.tries >= 10
    share = (
        torch.stack([torch.bincount(d.words, minlength=SIZE) for d in draws]).float().mean(dim=0)
    )
    tries = torch.tensor([d.tries for d in draws])[:, None]
    expected = -torch.expm1(tries * torch.log1p(-p)).mean(dim=0)
    torch.testing.assert_close(share, expected, atol=0.03, rtol=0.05)


def test_the_corrected_sum_over_the_sample_estimates_that_over_the_vocabulary() -> None:
    size = 3000
    z = torch.randn(size, generator=generator(0)).exp()
    p = log_uniform(torch.arange(size), size)
    sums = []
    for seed in range(2000):
        words, tries = draw(60, size, generator(seed))
        sums.append((z[words] / -torch.expm1(tries * torch.log1p(-p[words]))).sum())
    assert torch.stack(sums).mean().item() == pytest.approx(z.sum().item(), rel=0.02)


def test_every_word_can_be_drawn() -> None:
    assert draw(SIZE, SIZE, generator(0)).words.tolist() == list(range(SIZE))


def test_half_precision_comes_close(case: Case) -> None:
    softmax, vectors, targets = case
    softmax, vectors = softmax.float(), vectors.float()
    negatives = Negatives(torch.arange(20), 30)
    exact = softmax.loss(vectors, targets, negatives)
    coarse = softmax.loss(vectors.bfloat16(), targets, negatives)
    torch.testing.assert_close(coarse, exact, rtol=0.02, atol=0.02)
