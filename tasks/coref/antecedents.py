"""Which earlier span a span refers to, and the marginal likelihood of the right ones.

Lee et al. 2017, sections 2 to 4: for a span i and each span j before it (the nearest 250)

    s(i, j) = s_m(i) + s_m(j) + FFNN([g_i; g_j; g_i ∘ g_j; φ(i, j)])        s(i, none) = 0

with φ = [same speaker or not; genre; distance]; the loss is −Σ_i log Σ_{right j} P(j | i), where
"none" is right if no span before i is in its cluster.

**Memory.** The network's input has some 4,000 numbers a pair, and a span has 250 pairs. It is never
built: the first layer is W₁ g_i + W₂ g_j + W₃ (g_i ∘ g_j) + W₄ φ, the first two taken span by span,
the third by `pair_products`, for a block of spans i at a time. Training keeps what follows that
layer for the gradient, some 3 kB a pair; prediction keeps nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core.dropout import Dropout
from elmo_core.products import Linear, linear
from tasks.coref.spans import Spans, after_first_layer, xavier
from tasks.nn.pair_products import pair_products

BLOCK = 16  # spans scored at once on a CPU
DEVICE_BLOCK = 128  # on a GPU, which waits for hundreds of launches a block
DISTANCES = (2, 3, 4, 5, 8, 16, 32, 64)  # where the second to ninth bucket begin


class Links(NamedTuple):
    """The decision about each span of a document."""

    loss: Tensor  # a scalar, the sum over spans
    antecedent: Tensor  # (spans,) the likeliest one's place among the spans, −1 for none
    probability: Tensor  # (spans,) its


class AntecedentScorer(nn.Module):
    """The layer that finds the antecedent of each span of one document."""

    buckets: Tensor

    def __init__(
        self,
        span_dim: int,
        *,
        genres: int,
        max_antecedents: int,
        feature_dim: int,
        feed_forward: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.max_antecedents = max_antecedents
        self.parts = [span_dim, span_dim, span_dim, 3 * feature_dim]
        self.speaker = nn.Embedding(2, feature_dim)
        self.genre = nn.Embedding(genres + 1, feature_dim, padding_idx=0)  # 0: an unknown one
        self.distance = nn.Embedding(len(DISTANCES) + 1, feature_dim)
        self.dropout = Dropout(dropout)
        self.first = Linear(sum(self.parts), feed_forward)
        self.rest = after_first_layer(feed_forward, dropout)
        self.register_buffer("buckets", torch.tensor(DISTANCES), persistent=False)
        with torch.no_grad():
            for table in (self.speaker, self.genre, self.distance):
                nn.init.xavier_uniform_(table.weight)
            self.genre.weight[0] = 0.0
        xavier(self.first)

    def forward(self, spans: Spans, speaker: Tensor, genre: Tensor, cluster: Tensor) -> Links:
        """Link each span; `speaker` and `cluster` (spans,) are numbers that are equal for the same
        one, cluster 0 is none; `genre` () is a number, 0 if unknown."""
        number = len(spans.first)
        size = BLOCK if cluster.device.type == "cpu" else DEVICE_BLOCK
        blocks = [
            self.block(begin, min(begin + size, number), spans, speaker, genre, cluster)
            for begin in range(0, number, size)
        ]
        losses, antecedents, probabilities = zip(*blocks, strict=True)
        return Links(torch.stack(losses).sum(), torch.cat(antecedents), torch.cat(probabilities))

    def block(
        self, begin: int, end: int, spans: Spans, speaker: Tensor, genre: Tensor, cluster: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Score the links of the spans from `begin` to before `end`; one span a column, one
        antecedent a row."""
        low = max(0, begin - self.max_antecedents)
        i = torch.arange(begin, end, device=cluster.device)
        j = torch.arange(low, end, device=cluster.device)[:, None]
        possible = (j < i) & (j >= i - self.max_antecedents)
        scores = self.score(spans, i, j, speaker, genre).masked_fill(~possible, -torch.inf)
        scores = F.pad(scores, (0, 0, 1, 0))  # row 0: none
        right = possible & (cluster[j] == cluster[i]) & (cluster[i] > 0)
        right = torch.cat([~right.any(0, keepdim=True), right])
        total = scores.logsumexp(0)
        loss = (total - scores.masked_fill(~right, -torch.inf).logsumexp(0)).sum()
        best, row = scores.detach().max(0)
        antecedent = torch.where(row > 0, row - 1 + low, -1)
        return loss, antecedent, (best - total.detach()).exp()

    def score(self, spans: Spans, i: Tensor, j: Tensor, speaker: Tensor, genre: Tensor) -> Tensor:
        """Compute s(i, j) for `i` (m,) and `j` (n, 1), whichever comes first: (n, m)."""
        g_i, g_j = spans.vectors[i], spans.vectors[j.squeeze(1)]
        of_i, of_j, of_both, of_features = self.first.weight.split(self.parts, dim=1)
        hidden = (
            pair_products(g_j, g_i, of_both)
            + linear(self.features(i, j, speaker, genre), of_features)
            + linear(g_i, of_i, self.first.bias)
            + linear(g_j, of_j)[:, None]
        )
        return self.rest(hidden).squeeze(2) + spans.scores[i] + spans.scores[j]

    def features(self, i: Tensor, j: Tensor, speaker: Tensor, genre: Tensor) -> Tensor:
        """Return φ(i, j): (n, m, 3 * feature_dim)."""
        same = self.speaker((speaker[i] == speaker[j]).long())
        distance = self.distance(torch.bucketize(i - j, self.buckets, right=True))
        return self.dropout(torch.cat([same, self.genre(genre).expand_as(same), distance], dim=2))
