"""The biattentive classification network (McCann et al. 2017) as in Peters et al. 2018, A.8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.dropout import Dropout
from elmo_core.products import Linear
from tasks.nn.attention import masked_softmax
from tasks.nn.maxout import Maxout
from tasks.nn.pooling import SelfAttentivePooling, masked_max, masked_mean, masked_min
from tasks.nn.recurrent.bilstm import BiLSTM
from tasks.nn.words import WordEmbedding

POOL = 4  # linear functions in each maxout unit
OUTPUTS = ("relu", "maxout")


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/sst5.yaml has them."""

    word_dim: int = 300  # of word vectors that are learned
    hidden: int = 300  # units of each LSTM, in each direction
    dropout: float = 0.25  # around the feed-forward layer
    output: str = "relu"  # the kind of the final network: relu (the paper's) or maxout
    output_dropout: tuple[float, float, float] = (0.1, 0.2, 0.3)  # before each of its layers

    def __post_init__(self) -> None:
        if self.output not in OUTPUTS:
            raise ValueError(f"output={self.output}: unknown (choose {' or '.join(OUTPUTS)})")


class BCN(nn.Module):
    """The model that gives a sentence one of `labels` classes.

    McCann et al. read two texts; with one, the biattention is between the text and itself.

    The final network is two ReLU layers and a linear one, or with `output` "maxout" McCann et
    al.'s three maxout layers (here without batch normalisation). Its layers have 4 and 2 × `hidden`
    units.
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
        self.feedforward = nn.Sequential(
            Dropout(dropout),
            Linear(placement.input_dim(words.output_dim), hidden),
            nn.ReLU(),
            Dropout(dropout),
        )
        self.encoder = BiLSTM(hidden, hidden)
        self.integrator = BiLSTM(3 * self.encoder.output_dim, hidden)
        pooled = placement.output_dim(self.integrator.output_dim)
        self.self_attentive = SelfAttentivePooling(pooled)
        units = (4 * pooled, 4 * hidden, 2 * hidden, labels)
        self.classifier = _classifier(sizes.output, units, sizes.output_dropout)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Classify sentences: `words`, `mask` (batch, tokens), `lengths`, `labels` (batch) →
        `loss`, `logits` (batch, labels)."""
        mask, lengths = batch["mask"], batch["lengths"]
        x = self.placement.input(self.words(batch["words"]), layers, mask)
        h = self.encoder(self.feedforward(x), lengths)

        sees = masked_softmax(h @ h.transpose(1, 2), mask.unsqueeze(1)) @ h
        v = self.integrator(torch.cat([h, h - sees, h * sees], dim=2), lengths)
        v = self.placement.output(v, layers, mask)

        pools = (masked_max, masked_min, masked_mean, self.self_attentive)
        logits = self.classifier(torch.cat([pool(v, mask) for pool in pools], dim=1))
        return {"loss": F.cross_entropy(logits, batch["labels"]), "logits": logits}


def _classifier(kind: str, units: Sequence[int], dropout: Sequence[float]) -> nn.Sequential:
    """Make layers from each number of units to the next, with dropout before each."""
    last = len(units) - 2
    layers: list[nn.Module] = []
    for i, p in zip(range(last + 1), dropout, strict=True):
        layers.append(Dropout(p))
        if kind == "maxout":
            layers.append(Maxout(units[i], units[i + 1], POOL))
        else:
            layers.append(Linear(units[i], units[i + 1]))
            layers += [nn.ReLU()] if i < last else []
    return nn.Sequential(*layers)
