"""A biLSTM-CRF of AllenNLP's modules, for `bench.speed --peer` (tasks/base/peer.py).

Their CrfTagger finds the best tags and scores them at each step of training. Ours does not, so its
parts stand here without that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from allennlp.modules import ConditionalRandomField, InputVariationalDropout, TimeDistributed
from allennlp.modules.conditional_random_field import allowed_transitions
from torch import Tensor, nn

from tasks.base.peer import Weights

OVERRIDES = ["elmo.placement=input", "elmo.layer_norm=false", "elmo.l2=0", "task.scheme=bioes"]
DIFFERENCE = ""
NEVER = -1e4  # the score of what must not follow


class Network(nn.Module):
    """Words and their spelling, two biLSTMs, a dense layer, their CRF."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], chosen: Mapping[str, Any]) -> None:
        super().__init__()
        ours = Weights(parameters)
        self.words, self.spelling = ours.words(), ours.characters("spelling")
        self.elmo = ours.elmo(chosen, "input")
        self.dropout = InputVariationalDropout(chosen["task"]["dropout"])
        self.lower, self.upper = ours.both_ways("lower.rnn"), ours.both_ways("upper.rnn")
        self.dense = TimeDistributed(ours.linear("dense"))
        self.crf = _crf(ours["crf.scores"], chosen["labels"])

    def forward(self, batch: Mapping[str, Tensor], layers: Tensor) -> Tensor:
        mask = batch["mask"]
        words, spelled = (
            self.words(batch["words"]),
            self.spelling(batch["spellings"], batch["spelled"]),
        )
        x = torch.cat([words, spelled, *self.elmo(layers)["elmo_representations"]], dim=2)
        h = self.lower(self.dropout(x), mask)
        h = self.upper(self.dropout(h), mask)
        likelihood: Tensor = self.crf(self.dense(h), batch["tags"], mask)  # a sum
        return -likelihood / len(mask)


def _crf(scores: Tensor, tags: list[str]) -> ConditionalRandomField:
    """Make their CRF, with our scores; what must not follow has no chance in learning, either."""
    letters = str.maketrans("SE", "UL")  # as they call single-token chunks and last tokens
    names = {i: tag[:1].translate(letters) + tag[1:] for i, tag in enumerate(tags)}
    allowed = allowed_transitions("BIOUL", names)
    made = ConditionalRandomField(len(tags), allowed)
    possible = made._constraint_mask.bool()
    first, last = len(tags), len(tags) + 1
    with torch.no_grad():
        made.transitions.copy_(scores[1:, 1:].where(possible[:first, :first], NEVER))
        made.start_transitions.copy_(scores[0, 1:].where(possible[first, :first], NEVER))
        made.end_transitions.copy_(scores[1:, 0].where(possible[:first, last], NEVER))
    return made
