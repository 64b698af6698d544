"""BiDAF with self-attention (Clark & Gardner 2017) as in Peters et al. 2018, appendix A.4."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.products import Linear
from tasks.nn.biattention import BiAttention
from tasks.nn.char_words import PAD, CharCNN
from tasks.nn.dropout import VariationalDropout
from tasks.nn.merge import Merge
from tasks.nn.recurrent.bigru import BiGRU
from tasks.nn.self_attention import SelfAttention
from tasks.nn.words import WordEmbedding

CHAR_SCALE = 0.05  # of the characters' vectors at the start


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/squad.yaml has them."""

    word_dim: int = 300  # of word vectors that are learned
    char_dim: int = 20
    char_filters: int = 100
    char_width: int = 5
    char_dropout: float = 0.2
    hidden: int = 90  # units of each GRU, in each direction; the layers between have twice as many
    dropout: float = 0.2  # variational, before and after GRUs


class BiDAF(nn.Module):
    """The model that reads a question and a paragraph, and finds where the answer begins and ends.

    Paragraph and question share word vectors, character CNN, biGRU and mixes.
    """

    def __init__(
        self,
        words: WordEmbedding,
        placement: Placement,
        sizes: Sizes,
    ) -> None:
        super().__init__()
        hidden = sizes.hidden
        self.words = words
        self.spelling = CharCNN(
            char_dim=sizes.char_dim,
            filters=sizes.char_filters,
            widths=[sizes.char_width],
            dropout=sizes.char_dropout,
        )
        nn.init.uniform_(self.spelling.table.weight, -CHAR_SCALE, CHAR_SCALE)
        nn.init.zeros_(self.spelling.table.weight[PAD])
        self.placement = placement
        self.dropout = VariationalDropout(sizes.dropout)
        x = words.output_dim + self.spelling.output_dim
        self.encoder = BiGRU(placement.input_dim(x), hidden)
        self.attention = BiAttention(placement.output_dim(self.encoder.output_dim))
        dim = 2 * hidden
        self.merge = Merge(self.attention.output_dim, dim)
        self.inner = BiGRU(dim, hidden)
        self.self_attention = SelfAttention(dim)
        self.inner_merge = Merge(3 * dim, dim)
        self.start = BiGRU(dim, hidden)
        self.end = BiGRU(2 * dim, hidden)
        # No biases: the softmax over a paragraph's words would not notice them.
        self.start_score, self.end_score = (Linear(dim, 1, bias=False) for _ in range(2))
        nn.init.xavier_uniform_(self.start_score.weight)
        nn.init.xavier_uniform_(self.end_score.weight)

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Find answers. `words` is (batch, tokens), `lengths` (batch,), `spellings` and `spelled`
        are from `spell`, the same of the question `question_…`; `first`, `last` (batch, answers)
        are the ends of each answer, −1 where there are fewer → `loss` and the log-probabilities
        `start`, `end` (batch, tokens).

        Rows of `layers` are paragraph, question, paragraph, …
        """
        lengths = batch["lengths"]
        c, c_mask = self._encode(batch, "", None if layers is None else layers[0::2])
        q, q_mask = self._encode(batch, "question_", None if layers is None else layers[1::2])
        x = self.merge(*self.attention(c, q, c_mask, q_mask))
        x = self.dropout(x + self._relate(x, c_mask, lengths))
        from_start = self.start(x, lengths)
        from_end = self.end(torch.cat([x, from_start], dim=2), lengths)
        start = _log_probabilities(self.start_score(from_start), c_mask)
        end = _log_probabilities(self.end_score(from_end), c_mask)
        loss = self._loss(start, end, batch["first"], batch["last"])
        return {"loss": loss, "start": start, "end": end}

    def _encode(
        self, batch: dict[str, Tensor], side: str, layers: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return [h; ELMo'] of the paragraphs or the questions, and their mask."""
        words, lengths = batch[f"{side}words"], batch[f"{side}lengths"]
        mask = words != PAD
        if layers is not None:
            layers = layers[:, :, : words.shape[1]]  # padded to the longest of both sides
        spelled = self.spelling(batch[f"{side}spellings"], batch[f"{side}spelled"])
        x = torch.cat([self.words(words), spelled], dim=2)
        x = self.placement.input(x, layers, mask)
        h = self.dropout(self.encoder(self.dropout(x), lengths))
        return self.placement.output(h, layers, mask), mask

    def _relate(self, x: Tensor, mask: Tensor, lengths: Tensor) -> Tensor:
        """Let the paragraph's words see one another."""
        h = self.dropout(self.inner(self.dropout(x), lengths))
        sees = self.self_attention(h, mask)
        return self.inner_merge(sees, h, sees * h)

    def _loss(self, start: Tensor, end: Tensor, first: Tensor, last: Tensor) -> Tensor:
        """Compute −log p of the ends of one answer: in training any of the acceptable ones, else
        the first."""
        if self.training:
            chances = torch.rand(first.shape, device=first.device).masked_fill(first < 0, -1.0)
            chosen = chances.argmax(1, keepdim=True)
            first, last = first.gather(1, chosen), last.gather(1, chosen)
        return -(start.gather(1, first[:, :1]) + end.gather(1, last[:, :1])).mean()


def _log_probabilities(scores: Tensor, mask: Tensor) -> Tensor:
    """Turn scores (batch, tokens, 1) into (batch, tokens), float32; −inf past the end."""
    return scores.squeeze(2).float().masked_fill(~mask, -torch.inf).log_softmax(1)
