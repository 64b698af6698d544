"""Candidate mentions: every span inside a sentence, its score, and the vectors of those that stay.

Lee et al. 2017, sections 3 and 4. A span's vector is g = [h of its first token; h of its last; its
width; Σ_t a_t x_t], with a the softmax over its tokens of a score that is linear in h: the model's
idea of the span's head. The mention score is a feed-forward network of g.

There are ten spans a token, and g has over a thousand numbers. So g is built for the spans that
stay alone: the network's first layer W g is W₁ h + W₂ h + W₃ width + Σ a_t W₄ x_t, whose products
are taken token by token and looked up span by span.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core.devices import sent
from elmo_core.dropout import Dropout
from elmo_core.products import Linear, linear
from tasks.coref.prune import prune
from tasks.nn.attention import masked_softmax


class Spans(NamedTuple):
    """The spans that stay, by first and then last token."""

    first: Tensor  # (spans,) tokens of the document
    last: Tensor
    scores: Tensor  # (spans,) mention scores
    vectors: Tensor  # (spans, dim)


class SpanScorer(nn.Module):
    """The layer that finds, among a document's tokens, the spans that may be mentions."""

    def __init__(
        self,
        h_dim: int,
        x_dim: int,
        *,
        max_width: int,
        spans_per_word: float,
        feature_dim: int,
        feed_forward: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.max_width, self.spans_per_word = max_width, spans_per_word
        self.parts = [h_dim, h_dim, feature_dim, x_dim]
        self.output_dim = sum(self.parts)
        self.width = nn.Embedding(max_width, feature_dim)
        self.dropout = Dropout(dropout)
        self.head = Linear(h_dim, 1, bias=False)  # a softmax would not notice a bias
        self.first = Linear(self.output_dim, feed_forward)
        self.rest = after_first_layer(feed_forward, dropout)
        nn.init.xavier_uniform_(self.width.weight)
        nn.init.xavier_uniform_(self.head.weight)
        xavier(self.first)

    def forward(self, h: Tensor, x: Tensor, sentence: Tensor) -> Spans:
        """Find the spans of a document: `h` (tokens, h_dim), `x` (tokens, x_dim), and `sentence`
        (tokens,), the number of each token's, on the CPU.

        On a GPU, the scores are what it is waited for: which spans stay is decided on the CPU.
        """
        inside = spans_within(sentence, self.max_width)
        first, width = sent(inside.nonzero().t(), h.device)
        columns = torch.arange(self.max_width, device=h.device)
        feature = self.dropout(self.width(width))
        within = columns <= width[:, None]
        where = torch.minimum(first[:, None] + columns, (first + width)[:, None])
        attention = masked_softmax(self.head(h).squeeze(1)[where], within)
        of_first, of_last, of_width, of_head = self.first.weight.split(self.parts, dim=1)
        hidden = (
            linear(h, of_first).index_select(0, first)
            + linear(h, of_last).index_select(0, first + width)
            + linear(feature, of_width, self.first.bias)
            + weighted_sum(linear(x, of_head), where, attention)
        )
        scores = self.rest(hidden).squeeze(1).to(self.first.weight.dtype)

        stays = sent(self.best(scores.detach().cpu(), inside), h.device)
        first, last = first[stays], (first + width)[stays]
        heads = weighted_sum(x, where[stays], attention[stays])
        vectors = torch.cat([h[first], h[last], feature[stays], heads], dim=1)
        return Spans(first, last, scores[stays], vectors)

    def best(self, scores: Tensor, inside: Tensor) -> Tensor:
        """Choose the spans that stay, by `scores` (spans,) of those `inside`: their places among
        them."""
        grid = scores.new_full(inside.shape, -torch.inf).masked_scatter(inside, scores)
        stays = prune(grid, max(1, int(self.spans_per_word * len(inside))))
        return stays[inside].nonzero().squeeze(1)


def spans_within(sentence: Tensor, max_width: int) -> Tensor:
    """Find the spans that lie within a sentence: bool (tokens, max_width), from a token to as many
    behind it."""
    tokens = len(sentence)
    ends = torch.arange(tokens)[:, None] + torch.arange(max_width)
    same = sentence[ends.clamp(max=tokens - 1)] == sentence[:, None]
    return same & (ends < tokens)


def weighted_sum(x: Tensor, where: Tensor, weights: Tensor) -> Tensor:
    """Sum weights[s, k] x[where[s, k]] over k: (spans, dim), with no (spans, tokens, dim) built."""
    # Never in less than float32: CUDA has no gradient of the weights in bfloat16.
    wide = torch.promote_types(x.dtype, torch.float32)
    summed = F.embedding_bag(where, x.to(wide), per_sample_weights=weights.to(wide), mode="sum")
    return summed.to(x.dtype)


def after_first_layer(hidden: int, dropout: float) -> nn.Sequential:
    """Make what follows the first linear layer of a network of two hidden layers, one output."""
    second, last = Linear(hidden, hidden), Linear(hidden, 1)
    xavier(second)
    xavier(last)
    between = (nn.ReLU(), Dropout(dropout))
    return nn.Sequential(*between, second, nn.ReLU(), Dropout(dropout), last)


def xavier(layer: nn.Linear) -> None:
    """Draw a layer's weights Xavier-uniform; its biases start at zero."""
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
