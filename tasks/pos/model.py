"""A linear probe (Peters et al. 2018, section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.products import Linear
from tasks.nn.words import WordEmbedding

IGNORED = -100  # of no tag that is known: padding, and tags that training did not show


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/pos.yaml has them."""

    word_dim: int = 100  # of word vectors that are learned, where no place wants the encoder


class Probe(nn.Module):
    """The model that maps a word's vector to its tag, by one linear layer and nothing else.

    The vector is the placement's alone. Where no place wants the encoder, `words` are learned in
    its stead: the same layer on vectors that know no context.
    """

    def __init__(self, words: WordEmbedding, placement: Placement, tags: int) -> None:
        super().__init__()
        self.placement = placement
        self.words = None if placement.active else words
        own = 0 if self.words is None else words.output_dim
        self.linear = Linear(placement.output_dim(placement.input_dim(own)), tags)

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Tag words: `words`, `tags`, `mask` (batch, tokens) → `loss`, a token's mean, and `logits`
        (batch, tokens, tags)."""
        words, mask = batch["words"], batch["mask"]
        nothing = self.linear.weight.new_zeros(*words.shape, 0)
        x = nothing if self.words is None else self.words(words)
        x = self.placement.output(self.placement.input(x, layers, mask), layers, mask)
        logits = self.linear(x)
        loss = F.cross_entropy(logits.flatten(0, 1), batch["tags"].flatten(), ignore_index=IGNORED)
        return {"loss": loss, "logits": logits}
