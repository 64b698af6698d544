"""BiDAF with self-attention of AllenNLP's modules, for `bench.speed --peer` (tasks/base/peer.py).

AllenNLP has no such network (its BiDAF has no self-attention), but has all parts of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from allennlp.modules import InputVariationalDropout
from allennlp.modules.matrix_attention import LinearMatrixAttention
from allennlp.nn import util
from torch import Tensor, nn

from tasks.base.peer import Weights

OVERRIDES = ["elmo.placement=input+output", "elmo.layer_norm=false", "elmo.l2=0"]
DIFFERENCE = "their attentions have a bias, which the softmax does not notice"


class Network(nn.Module):
    """The network of our card, of their parts."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], chosen: Mapping[str, Any]) -> None:
        super().__init__()
        ours = Weights(parameters)
        task = chosen["task"]
        self.words = ours.words()
        self.spelling = ours.characters("spelling", task["char_dropout"])
        self.elmo = ours.elmo(chosen, "input", "output")
        self.dropout = InputVariationalDropout(task["dropout"])
        self.encoder, self.inner = ours.both_ways("encoder.rnn"), ours.both_ways("inner.rnn")
        self.start, self.end = ours.both_ways("start.rnn"), ours.both_ways("end.rnn")
        self.attention = _trilinear(ours, "attention.similarity")
        self.self_attention = _trilinear(ours, "self_attention.similarity")
        self.nothing = nn.Parameter(ours["self_attention.nothing"].detach().clone())
        self.merge = ours.feed_forward(["merge.0"], ["relu"], [0.0])
        self.inner_merge = ours.feed_forward(["inner_merge.0"], ["relu"], [0.0])
        self.start_score, self.end_score = ours.linear("start_score"), ours.linear("end_score")

    def forward(self, batch: Mapping[str, Tensor], layers: Tensor) -> Tensor:
        c, c_mask = self._encode(batch, "", layers[0::2])
        q, q_mask = self._encode(batch, "question_", layers[1::2])
        x = self.merge(self._attend(c, q, c_mask, q_mask))
        h = self.dropout(self.inner(self.dropout(x), c_mask))
        sees = self._see(h, c_mask)
        x = self.dropout(x + self.inner_merge(torch.cat([sees, h, sees * h], dim=2)))
        from_start = self.start(x, c_mask)
        from_end = self.end(torch.cat([x, from_start], dim=2), c_mask)
        scores = (self.start_score(from_start), self.end_score(from_end))
        start, end = (util.masked_log_softmax(each.squeeze(2), c_mask) for each in scores)
        return F.nll_loss(start, batch["first"][:, 0]) + F.nll_loss(end, batch["last"][:, 0])

    def _encode(
        self, batch: Mapping[str, Tensor], side: str, layers: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Read the paragraphs or the questions: [h; ELMo'], and their mask."""
        indices = batch[f"{side}words"]
        mask = indices != 0
        mixed = self.elmo(layers[:, :, : indices.shape[1]])["elmo_representations"]
        spelled = self.spelling(batch[f"{side}spellings"], batch[f"{side}spelled"])
        x = torch.cat([self.words(indices), spelled, mixed[0]], dim=2)
        h = self.dropout(self.encoder(self.dropout(x), mask))
        return torch.cat([h, mixed[1]], dim=2), mask

    def _attend(self, c: Tensor, q: Tensor, c_mask: Tensor, q_mask: Tensor) -> Tensor:
        """Attend both ways, as their BidirectionalAttentionFlow does."""
        scores = self.attention(c, q)
        to_question = util.weighted_sum(q, util.masked_softmax(scores, q_mask))
        least = util.min_value_of_dtype(scores.dtype)
        best = util.replace_masked_values(scores, q_mask.unsqueeze(1), least).max(dim=2)[0]
        to_context = util.weighted_sum(c, util.masked_softmax(best, c_mask)).unsqueeze(1)
        return torch.cat([c, to_question, c * to_question, c * to_context.expand_as(c)], dim=2)

    def _see(self, h: Tensor, mask: Tensor) -> Tensor:
        """Let each word see the others, or nothing."""
        itself = torch.eye(h.shape[1], dtype=torch.bool)
        scores = self.self_attention(h, h).masked_fill(itself | ~mask.unsqueeze(1), -torch.inf)
        nothing = self.nothing.expand(*scores.shape[:2], 1)
        shares = torch.cat([scores, nothing], dim=2).softmax(2)[:, :, :-1]
        sees: Tensor = util.weighted_sum(h, shares)
        return sees


def _trilinear(ours: Weights, prefix: str) -> LinearMatrixAttention:
    """Make their similarity of [x; y; x∘y], with our weights."""
    left, right, both = (ours[f"{prefix}.{part}"] for part in ("left", "right", "both"))
    made = LinearMatrixAttention(len(left), len(right), "x,y,x*y")
    made._weight_vector.data.copy_(torch.cat([left, right, both]))
    return made
