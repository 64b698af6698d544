"""ESIM (Chen et al. 2017) with ELMo, as in Peters et al. 2018, appendix A.3."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.dropout import Dropout
from elmo_core.products import Linear
from tasks.nn.attention import align
from tasks.nn.autocast import for_products
from tasks.nn.dropout import VariationalDropout
from tasks.nn.padding import real_rows, taken
from tasks.nn.penalty import sum_of_squares
from tasks.nn.pooling import masked_max, masked_mean
from tasks.nn.recurrent.bilstm import BiLSTM
from tasks.nn.words import WordEmbedding

REGULARISED = ("with-elmo", "always", "never")


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/snli.yaml has them."""

    word_dim: int = 300  # of word vectors that are learned
    hidden: int = 300  # units of each LSTM, in each direction, and of the feed-forward layers
    dropout: float = 0.5
    attention_dropout: float = 0.5  # after the attention
    weight_l2: float = 1e-4  # λ of Σ W² over recurrent and feed-forward matrices
    regularised: str = "with-elmo"  # these two: with-elmo (the paper's), always or never

    def __post_init__(self) -> None:
        if self.regularised not in REGULARISED:
            known = ", ".join(REGULARISED)
            raise ValueError(f"regularised={self.regularised}: unknown (choose one of {known})")


class ESIM(nn.Module):
    """The model that gives a premise and a hypothesis one of `labels` classes.

    Premises and hypotheses come as one batch of sentences, premise first, pair after pair: both
    go through the same encoder, and through the same mixes, in one call.

    With ELMo, as the paper has it, there are 50 % dropout after the attention and an ℓ2 penalty on
    all recurrent and feed-forward matrices. `regularised` "always" gives both to the baseline, too,
    so that what is gained is ELMo's alone.
    """

    def __init__(
        self,
        words: WordEmbedding,
        placement: Placement,
        sizes: Sizes,
        *,
        labels: int,
    ) -> None:
        super().__init__()
        hidden, dropout = sizes.hidden, sizes.dropout
        self.words = words
        self.placement = placement
        self.rnn_dropout = VariationalDropout(dropout)
        self.encoder = BiLSTM(placement.input_dim(words.output_dim), hidden)
        aligned = 4 * placement.output_dim(self.encoder.output_dim)
        with_elmo = sizes.regularised == "with-elmo" and placement.active
        regularised = with_elmo or sizes.regularised == "always"
        self.attention_dropout = Dropout(sizes.attention_dropout if regularised else 0.0)
        self.enhance = Linear(aligned, hidden)
        self.composition = BiLSTM(hidden, hidden)
        self.classifier = nn.Sequential(
            Dropout(dropout),
            Linear(4 * self.composition.output_dim, hidden),
            nn.ReLU(),
            Dropout(dropout),
            Linear(hidden, labels),
        )
        self.weight_l2 = sizes.weight_l2 if regularised else 0.0
        for layer in (self.enhance, *self.classifier):
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Classify pairs: `words`, `mask` (2 * pairs, tokens), `lengths` (2 * pairs), `labels`
        (pairs) → `loss`, `logits` (pairs, labels)."""
        mask, lengths = batch["mask"], batch["lengths"]
        x = self.placement.input(self.words(batch["words"]), layers, mask)
        h = self.encoder(self.rnn_dropout(x), lengths)
        h = self.placement.output(h, layers, mask)

        m = self._enhance(h, mask, lengths)
        v = self.composition(self.rnn_dropout(m), lengths)
        pooled = torch.cat([masked_mean(v, mask), masked_max(v, mask)], dim=1)
        logits = self.classifier(torch.cat([pooled[0::2], pooled[1::2]], dim=1))
        loss = F.cross_entropy(logits, batch["labels"]) + self._penalty()
        return {"loss": loss, "logits": logits}

    def _enhance(self, h: Tensor, mask: Tensor, lengths: Tensor) -> Tensor:
        """Project [a; ã; a − ã; a ∘ ã] for both sentences of each pair to `hidden`.

        It is the widest product, so padding is left out: a quarter of SNLI's tokens.
        """
        premise, hypothesis = h[0::2], h[1::2]
        sees = torch.stack(align(premise, hypothesis, mask[0::2], mask[1::2]), dim=1)
        real = real_rows(mask, lengths)
        own, seen = (for_products(taken(x.reshape(-1, h.shape[2]), real)) for x in (h, sees))
        enhanced = torch.cat([own, seen, own - seen, own * seen], dim=1)
        projected = F.relu(self.enhance(self.attention_dropout(enhanced)))
        padded = projected.new_zeros(mask.numel(), projected.shape[1])
        return padded.index_copy_(0, real, projected).view(*mask.shape, -1)

    def _penalty(self) -> Tensor | float:
        if not self.weight_l2:
            return 0.0
        blocks = (self.encoder, self.enhance, self.composition, self.classifier)
        matrices = [p for block in blocks for p in block.parameters() if p.dim() == 2]
        return self.weight_l2 * sum_of_squares(matrices)
