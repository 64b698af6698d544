"""AllenNLP's ESIM with ELMo at the input, for `bench.speed --peer` (tasks/base/peer.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allennlp.modules.matrix_attention import DotProductMatrixAttention
from allennlp_models.pair_classification.models.esim import ESIM
from torch import Tensor, nn

from tasks.base.peer import Text, Weights, text, vocabulary

OVERRIDES = ["elmo.placement=input", "elmo.layer_norm=false", "elmo.l2=0", "task.regularised=never"]
DIFFERENCE = ""


class Network(nn.Module):
    """Their model. Its accuracy in training is left out: ours computes none."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], chosen: Mapping[str, Any]) -> None:
        super().__init__()
        ours = Weights(parameters)
        dropout = chosen["task"]["dropout"]
        self.model = ESIM(
            vocabulary(chosen["labels"]),
            Text(ours.words(), ours.elmo(chosen, "input")),
            encoder=ours.both_ways("encoder.rnn"),
            matrix_attention=DotProductMatrixAttention(),
            projection_feedforward=ours.feed_forward(["enhance"], ["relu"], [0.0]),
            inference_encoder=ours.both_ways("composition.rnn"),
            output_feedforward=ours.feed_forward(["classifier.1"], ["relu"], [dropout]),
            output_logit=ours.feed_forward(["classifier.4"], ["linear"], [0.0]),
            dropout=dropout,
        )
        self.model._accuracy = lambda *_: None

    def forward(self, batch: Mapping[str, Tensor], layers: Tensor) -> Tensor:
        sides = []
        for first in (0, 1):  # premises, hypotheses: each padded to the longest of its own
            longest = int(batch["lengths"][first::2].max())
            words, mask = (batch[name][first::2, :longest] for name in ("words", "mask"))
            sides.append(text(words, layers[first::2, :, :longest], mask))
        loss: Tensor = self.model(*sides, batch["labels"])["loss"]
        return loss
