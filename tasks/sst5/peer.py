"""AllenNLP's biattentive classification network, for `bench.speed --peer` (tasks/base/peer.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allennlp_models.classification.models.biattentive_classification_network import (
    BiattentiveClassificationNetwork,
)
from torch import Tensor, nn

from tasks.base.peer import Text, Weights, text, vocabulary

OVERRIDES = [
    "elmo.placement=input+output",
    "elmo.layer_norm=false",
    "elmo.l2=0",
    "task.output=relu",
]
DIFFERENCE = "their attentive pooling has a bias, which its softmax does not notice"


class Network(nn.Module):
    """Their model. Its accuracies in training are left out: ours computes none."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], chosen: Mapping[str, Any]) -> None:
        super().__init__()
        ours = Weights(parameters)
        task = chosen["task"]
        first, second, third = task["output_dropout"]
        layers = ["classifier.1", "classifier.4", "classifier.7"]
        self.model = BiattentiveClassificationNetwork(
            vocabulary(chosen["labels"]),
            Text(ours.words()),
            embedding_dropout=task["dropout"],
            pre_encode_feedforward=ours.feed_forward(
                ["feedforward.1"], ["relu"], [task["dropout"]]
            ),
            encoder=ours.both_ways("encoder.rnn"),
            integrator=ours.both_ways("integrator.rnn"),
            integrator_dropout=first,
            output_layer=ours.feed_forward(
                layers, ["relu", "relu", "linear"], [second, third, 0.0]
            ),
            elmo=ours.elmo(chosen, "input", "output"),
            use_input_elmo=True,
            use_integrator_output_elmo=True,
        )
        pooling = self.model._self_attentive_pooling_projection
        pooling.weight.data.copy_(ours["self_attentive.score.weight"])
        nn.init.zeros_(pooling.bias)
        self.model.metrics = {}

    def forward(self, batch: Mapping[str, Tensor], layers: Tensor) -> Tensor:
        tokens = text(batch["words"], layers, batch["mask"])
        tokens["elmo"] = {"elmo_tokens": layers}
        loss: Tensor = self.model(tokens, batch["labels"])["loss"]
        return loss
