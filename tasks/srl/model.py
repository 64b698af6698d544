"""Deep highway LSTM for semantic roles (He et al. 2017), as in Peters et al. 2018, appendix A.5."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.products import Linear
from tasks.nn.recurrent.highway_lstm import AlternatingLSTM
from tasks.nn.words import GLOVE_STD, WordEmbedding

IGNORED = -100  # a gold tag that does not count: padding, or a role that training never showed


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/srl.yaml has them."""

    word_dim: int = 100  # of word vectors that are learned
    predicate_dim: int = 100  # of the vector that says whether a word is the predicate
    hidden: int = 300  # units of each LSTM
    layers: int = 8  # LSTMs, by turns from left to right and from right to left
    dropout: float = 0.1  # recurrent, one mask a sequence


class DeepSRL(nn.Module):
    """The model that scores `tags` BIO tags for each word of a sentence with one marked predicate.

    Word vectors are trained, those from a file too. The dense layer starts orthogonal.
    """

    def __init__(
        self,
        words: WordEmbedding,
        placement: Placement,
        sizes: Sizes,
        *,
        tags: int,
    ) -> None:
        super().__init__()
        self.words = words
        self.placement = placement
        self.predicate = nn.Embedding(2, sizes.predicate_dim)
        x_dim = placement.input_dim(words.output_dim + sizes.predicate_dim)
        self.encoder = AlternatingLSTM(x_dim, sizes.hidden, sizes.layers, sizes.dropout)
        self.dense = Linear(placement.output_dim(sizes.hidden), tags)
        nn.init.normal_(self.predicate.weight, std=GLOVE_STD)
        nn.init.orthogonal_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Score tags: `words`, `predicate` (1 at the predicate), `mask`, `tags` are all (batch,
        tokens), `lengths` (batch,).

        Returns `loss`, the negative log-likelihood of a sentence's tags (mean over the batch; He et
        al.'s code, too, sums over tokens), `logits` (batch, tokens, tags) and `mask`.
        """
        mask = batch["mask"]
        x = torch.cat([self.words(batch["words"]), self.predicate(batch["predicate"])], dim=2)
        x = self.placement.input(x, layers, mask)
        h = self.placement.output(self.encoder(x, batch["lengths"]), layers, mask)
        logits = self.dense(h).float()
        gold = batch["tags"].flatten()
        loss = F.cross_entropy(logits.flatten(0, 1), gold, ignore_index=IGNORED, reduction="sum")
        loss = loss / len(logits)
        return {"loss": loss, "logits": logits, "mask": mask}
