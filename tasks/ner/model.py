"""The biLSTM-CRF of Peters et al. 2018, appendix A.7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.products import Linear
from tasks.formats.tags import follows
from tasks.nn.char_words import CharCNN
from tasks.nn.crf import CRF
from tasks.nn.dropout import VariationalDropout
from tasks.nn.recurrent.bilstm import BiLSTM
from tasks.nn.words import WordEmbedding


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/ner.yaml has them."""

    word_dim: int = 50  # of word vectors that are learned
    char_dim: int = 16
    char_filters: int = 128
    char_width: int = 3
    hidden: tuple[int, int] = (200, 100)  # units of the two biLSTMs, in each direction
    dropout: float = 0.5  # variational, before both biLSTMs


class Tagger(nn.Module):
    """The model that tags tokens: words and their spelling, two biLSTMs, a dense layer, a CRF.

    `scheme` is that of `tags`: what it forbids, the CRF never chooses.
    """

    def __init__(
        self,
        words: WordEmbedding,
        placement: Placement,
        sizes: Sizes,
        *,
        tags: Sequence[str],
        scheme: str,
    ) -> None:
        super().__init__()
        self.words = words
        self.spelling = CharCNN(
            char_dim=sizes.char_dim, filters=sizes.char_filters, widths=[sizes.char_width]
        )
        self.placement = placement
        self.dropout = VariationalDropout(sizes.dropout)
        first, second = sizes.hidden
        x = words.output_dim + self.spelling.output_dim
        self.lower = BiLSTM(placement.input_dim(x), first)
        self.upper = BiLSTM(self.lower.output_dim, second)
        self.dense = Linear(placement.output_dim(self.upper.output_dim), len(tags))
        nn.init.xavier_uniform_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)
        self.crf = CRF(tags, partial(follows, scheme=scheme))

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Tag sentences: `words`, `tags`, `mask` (batch, tokens), `lengths` (batch,), `spellings`
        and `spelled` of `spell` → loss, and what `viterbi` decodes: emissions (batch, tokens,
        tags), mask and the chain."""
        mask, lengths = batch["mask"], batch["lengths"]
        spelled = self.spelling(batch["spellings"], batch["spelled"])
        x = torch.cat([self.words(batch["words"]), spelled], dim=2)
        x = self.placement.input(x, layers, mask)
        h = self.lower(self.dropout(x), lengths)
        h = self.upper(self.dropout(h), lengths)
        h = self.placement.output(h, layers, mask)
        emissions = self.dense(h)
        transitions, start, end = self.crf.chain()
        return {
            "loss": self.crf(emissions, mask, batch["tags"]),
            "emissions": emissions,
            "mask": mask,
            "transitions": transitions,
            "start": start,
            "end": end,
        }
