"""The softmax over the output vocabulary: in full, and sampled.

Sampled: Jean et al. 2015, section 3, with TensorFlow's `sampled_softmax_loss`, which the published
training program uses, as the model: negatives are drawn without replacement from a log-uniform
distribution; logits are corrected by the logarithm of how often a word is expected among
them; a negative that happens to be the right word is left out for that prediction.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from elmo_core.devices import portions
from elmo_core.products import linear, outer, times


class Negatives(NamedTuple):
    """Words drawn for one step, ascending, and how many tries it took to find so many."""

    words: Tensor
    tries: int


def log_uniform(words: Tensor, size: int) -> Tensor:
    """The probability of word numbers under the sampler: Zipf's law, if the order is right."""
    return torch.log1p(1 / (words + 1.0)) / math.log(size + 1)


def draw(samples: int, size: int, generator: Generator) -> Negatives:
    """`samples` different words of `size`, on the CPU: words are drawn until so many are found."""
    drawn = torch.empty(0, dtype=torch.int64)
    while True:
        more = torch.rand(4 * samples, generator=generator, dtype=torch.float64)
        more = torch.exp(more * math.log(size + 1)).long() - 1
        drawn = torch.cat([drawn, more.clamp(0, size - 1)])
        distinct, which = drawn.unique(return_inverse=True)
        if len(distinct) >= samples:
            break
    tries = torch.arange(len(drawn))
    first = torch.full_like(distinct, len(drawn)).scatter_reduce(0, which, tries, "amin")
    last = first.sort().values[samples - 1]
    return Negatives(distinct[first <= last], int(last) + 1)


class Softmax(nn.Module):
    """Token vectors of size D → a distribution over the vocabulary; both directions share it."""

    def __init__(self, words: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(words, dim) / math.sqrt(dim))
        self.bias = nn.Parameter(torch.zeros(words))

    @torch.no_grad()
    def losses(self, vectors: Tensor, targets: Tensor) -> Tensor:
        """−log p, (n,), of each of `targets` (n,) under the full softmax, for `vectors` (n, D)."""
        rows = max(1, portions(vectors.device).logits // len(self.weight))
        chunks = zip(vectors.split(rows), targets.split(rows), strict=True)
        every = [
            F.cross_entropy(linear(x, self.weight, self.bias).float(), y, reduction="none")
            for x, y in chunks
        ]
        return torch.cat(every)

    def loss(self, vectors: Tensor, targets: Tensor, negatives: Negatives | None) -> Tensor:
        """The mean loss over `vectors` (n, D), to be trained on; None takes the full softmax.

        The full softmax is the sampled one with every word for a negative and nothing to correct.
        """
        if negatives is None:
            weight, bias = self.weight, self.bias
            own_weight, own_bias = weight[targets], bias[targets]
            hits = targets
        else:
            drawn, size = negatives.words, len(self.weight)
            both = torch.cat([drawn, targets])  # looked up once, for one gradient of full size
            split = [len(drawn), len(targets)]
            weight, own_weight = F.embedding(both, self.weight).split(split)
            expected = -torch.expm1(negatives.tries * torch.log1p(-log_uniform(both, size)))
            bias, own_bias = (self.bias[both] - expected.log()).split(split)
            place = torch.searchsorted(drawn, targets).clamp(max=len(drawn) - 1)
            hits = torch.where(drawn[place] == targets, place, -1)
        with torch.autocast(vectors.device.type, enabled=False):
            own = (vectors.float() * own_weight).sum(dim=-1) + own_bias
            return _Contest.apply(vectors, weight.to(vectors), bias, own, hits)


class _Contest(torch.autograd.Function):
    """The mean of −log(e^own / (e^own + Σ e^logit)), logits = vectors · weightᵀ + bias.

    `hits` (n,) is the column that a row must leave out, or −1. The gradients are taken while the
    logits of a chunk are at hand, so that these never exist all at once.
    """

    @staticmethod
    def forward(
        ctx: Any, vectors: Tensor, weight: Tensor, bias: Tensor, own: Tensor, hits: Tensor
    ) -> Tensor:
        d_vectors, d_own = torch.empty_like(vectors), torch.empty_like(own)
        d_weight, d_bias = own.new_zeros(weight.t().shape), torch.zeros_like(bias)
        loss = own.new_zeros(())
        rows = max(1, portions(vectors.device).logits // len(weight))
        for start in range(0, len(vectors), rows):
            part = slice(start, start + rows)
            x, mine, mine_hits = vectors[part], own[part], hits[part]
            logits = times(x, weight) + bias  # the bias at full precision
            place = mine_hits.clamp(min=0).unsqueeze(1)
            kept = logits.gather(1, place).masked_fill(mine_hits.unsqueeze(1) >= 0, -math.inf)
            logits.scatter_(1, place, kept)
            shares = logits.softmax(dim=1)  # among the others, for the time being
            others = logits.amax(dim=1) - shares.amax(dim=1).log()
            total = torch.logaddexp(others, mine)
            loss += (total - mine).sum()
            d_own[part] = torch.exp(mine - total) - 1
            lost = torch.exp(others - total).unsqueeze(1)
            shares = shares.to(vectors)
            d_vectors[part] = times(shares, weight.t()) * lost
            d_weight += outer((x * lost).to(vectors), shares)
            d_bias += torch.mm(lost.t().to(vectors), shares).squeeze(0)
        ctx.save_for_backward(d_vectors, d_weight, d_bias, d_own)
        return loss / len(vectors)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_loss: Tensor) -> tuple[Tensor | None, ...]:
        scale = d_loss / len(ctx.saved_tensors[0])
        d_vectors, d_weight, d_bias, d_own = (scale * d for d in ctx.saved_tensors)
        return d_vectors, d_weight.t().to(d_vectors), d_bias, d_own, None
