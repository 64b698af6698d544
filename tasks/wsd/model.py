"""1-nearest neighbour over sense averages (Peters et al. 2018, section 5.3)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from elmo_core import Placement
from tasks.nn.nearest import NONE, nearest
from tasks.nn.space import Space


class SenseAverages(nn.Module):
    """The model that finds the sense of an instance's lemma whose average points the same way.

    In training mode, `forward` adds the instances' vectors to the sums of their senses; nothing is
    learned by gradient, and the placement keeps its first weights: all layers are their mean. A
    cosine does not see the difference between a sum and an average. `space` is where cosines are
    taken (tasks/nn/space.py), by the mean and covariance of all instances of training.
    """

    sums: Tensor
    counts: Tensor

    def __init__(self, placement: Placement, senses: int, space: str = "raw") -> None:
        super().__init__()
        self.placement = placement.fixed()
        dim = placement.output_dim(placement.input_dim(0))
        self.space = Space(space, dim)
        self.register_buffer("sums", torch.zeros(senses, dim))
        self.register_buffer("counts", torch.zeros(senses, dtype=torch.long))

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Find the nearest senses. `mask` is (batch, tokens), `spans` (batch, instances, 2),
        `senses` and `candidates` (batch, instances, any), filled up with NONE → `nearest` (batch,
        instances), a candidate or NONE, and its `similarity`, a cosine (in training mode of the raw
        vectors)."""
        mask, spans = batch["mask"], batch["spans"]
        x = torch.zeros(*mask.shape, 0, device=mask.device)
        x = self.placement.output(self.placement.input(x, layers, mask), layers, mask)
        real = spans[..., 1] > 0
        found = torch.full(real.shape, NONE, device=real.device)
        similarity = torch.zeros(real.shape, device=real.device)
        with torch.autocast(mask.device.type, enabled=False):  # exact in any precision
            vectors = span_means(x, spans)[real]
            if self.training:
                self.add(vectors, batch["senses"][real])
            if self.placement.active:
                senses, shown = batch["candidates"][real], self.counts > 0
                table = self.sums
                if not self.training:  # before its end, the space of training is not known
                    table, vectors = self.space(table, self.counts), self.space(vectors)
                found[real], similarity[real] = nearest(vectors, senses, table, shown)
        return {"nearest": found, "similarity": similarity}

    def add(self, vectors: Tensor, senses: Tensor) -> None:
        """Add vectors (instances, dim) to the sums of their senses (instances, any)."""
        self.space.add(vectors)
        instances, slots = (senses != NONE).nonzero(as_tuple=True)
        rows = senses[instances, slots]
        self.sums.index_add_(0, rows, vectors[instances])
        self.counts.index_add_(0, rows, torch.ones_like(rows))


def span_means(x: Tensor, spans: Tensor) -> Tensor:
    """Take the mean over each span's tokens: x (batch, tokens, dim), half-open spans (batch, spans,
    2) → (batch, spans, dim); zeros for an empty one."""
    start, end = spans.unbind(2)
    places = torch.arange(x.shape[1], device=x.device)
    inside = (places >= start.unsqueeze(2)) & (places < end.unsqueeze(2))
    return inside.to(x.dtype) @ x / (end - start).clamp(min=1).unsqueeze(2)
