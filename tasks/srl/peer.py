"""A deep highway LSTM of AllenNLP's modules, for `bench.speed --peer` (tasks/base/peer.py).

The parts are those of their SemanticRoleLabeler, whose loss is a mean over tokens; here as in ours,
and in He et al.'s code, it is a sum over each sentence's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from allennlp.modules import TimeDistributed
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper
from allennlp.modules.stacked_alternating_lstm import StackedAlternatingLstm
from allennlp.nn.util import sequence_cross_entropy_with_logits
from torch import Tensor, nn

from tasks.base.peer import Weights

OVERRIDES = ["elmo.placement=input", "elmo.layer_norm=false", "elmo.l2=0"]
DIFFERENCE = "their dropout is of what the next step reads, ours also of what the next layer reads"
BLOCKS = (1, 2, 0, 3, 4, 5)
"""Their order of our gates: input, forget, new, output, highway; and the highway's own product."""


class Network(nn.Module):
    """Words, the predicate's mark, and ELMo; their stack of LSTMs; a dense layer; their loss."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], chosen: Mapping[str, Any]) -> None:
        super().__init__()
        ours = Weights(parameters)
        self.words, self.elmo = ours.words(), ours.elmo(chosen, "input")
        self.predicate = nn.Embedding.from_pretrained(ours["predicate.weight"], freeze=False)
        self.encoder = PytorchSeq2SeqWrapper(_stack(ours, chosen["task"]["dropout"]))
        self.dense = TimeDistributed(ours.linear("dense"))

    def forward(self, batch: Mapping[str, Tensor], layers: Tensor) -> Tensor:
        mask, elmo = batch["mask"], self.elmo(layers)["elmo_representations"]
        x = torch.cat([self.words(batch["words"]), self.predicate(batch["predicate"]), *elmo], 2)
        logits = self.dense(self.encoder(x, mask))
        gold = batch["tags"].clamp(min=0)  # padding, which the mask leaves out
        means = sequence_cross_entropy_with_logits(logits, gold, mask, average=None)
        loss: Tensor = (means * mask.sum(1)).mean()
        return loss


def _stack(ours: Weights, dropout: float) -> StackedAlternatingLstm:
    """Make their stack with our weights."""
    names = [name for name in ours.parameters if name.endswith("from_state")]
    hidden, dim = ours[names[0]].shape[1], ours["encoder.layers.0.from_input"].shape[1]
    made = StackedAlternatingLstm(dim, hidden, len(names), dropout, use_input_projection_bias=False)
    with torch.no_grad():
        for i, layer in enumerate(made.lstm_layers):
            for linear, name in (
                (layer.cell.input_linearity.weight, "from_input"),
                (layer.cell.state_linearity.weight, "from_state"),
                (layer.cell.state_linearity.bias, "bias"),
            ):
                blocks = ours[f"encoder.layers.{i}.{name}"].split(hidden)
                linear.copy_(torch.cat([blocks[block] for block in BLOCKS[: len(blocks)]]))
    return made
