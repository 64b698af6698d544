"""The nearest use of a word among those of training (Peters et al. 2018, section 5.3)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from elmo_core import Placement
from tasks.nn.nearest import NONE, nearest


class NearestUse(nn.Module):
    """The model that finds the use of the same word in training whose vector points the same way.

    In training mode, `forward` keeps the vectors of its uses; nothing is learned by gradient, and
    the placement keeps its first weights: all layers are their mean.
    """

    vectors: Tensor
    seen: Tensor

    def __init__(self, placement: Placement, uses: int) -> None:
        super().__init__()
        self.placement = placement.fixed()
        dim = placement.output_dim(placement.input_dim(0))
        self.register_buffer("vectors", torch.zeros(uses, dim))
        self.register_buffer("seen", torch.zeros(uses, dtype=torch.bool))

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Find the nearest uses. `mask` is (batch, tokens); `places`, of the words that are asked,
        and `own`, the use that each is itself, (batch, words); `uses`, of the same word, (batch,
        words, any); all filled up with NONE → `nearest` (batch, words), one of `uses` or NONE, and
        its `similarity`, a cosine."""
        mask, places = batch["mask"], batch["places"]
        x = torch.zeros(*mask.shape, 0, device=mask.device)
        x = self.placement.output(self.placement.input(x, layers, mask), layers, mask)
        found = torch.full_like(places, NONE)
        similarity = torch.zeros(places.shape, device=places.device)
        asked = places != NONE
        sentence, _ = asked.nonzero(as_tuple=True)
        with torch.autocast(mask.device.type, enabled=False):  # exact in any precision
            vectors = x[sentence, places[asked]]
            if self.training:
                self.keep(vectors, batch["own"][asked])
            if self.placement.active:
                of_word = batch["uses"][asked]
                found[asked], similarity[asked] = nearest(vectors, of_word, self.vectors, self.seen)
        return {"nearest": found, "similarity": similarity}

    def keep(self, vectors: Tensor, own: Tensor) -> None:
        """Keep vectors (words, dim) as those of the uses `own` (words,)."""
        kept = own != NONE
        self.vectors[own[kept]] = vectors[kept]
        self.seen[own[kept]] = True
