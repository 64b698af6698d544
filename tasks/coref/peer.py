"""AllenNLP's end-to-end coreference with ELMo, for `bench.speed --peer` (tasks/base/peer.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from allennlp.modules import FeedForward
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper
from allennlp_models.coref.models.coref import CoreferenceResolver
from torch import Tensor, nn

from tasks.base.peer import Text, Weights, vocabulary

OVERRIDES = ["elmo.placement=input", "elmo.layer_norm=false", "elmo.l2=0"]
DIFFERENCE = (
    "another network: their LSTM is a plain one and reads the document as one sequence, their "
    "spans hold ELMo and may cross, and there is neither speaker nor genre"
)


class Network(nn.Module):
    """Their model, of our sizes. Its scores in training are left out: ours computes none."""

    def __init__(self, parameters: Mapping[str, nn.Parameter], chosen: Mapping[str, Any]) -> None:
        super().__init__()
        ours = Weights(parameters)
        task = chosen["task"]
        self.longest, self.widest = task["max_sentences"], task["max_width"]
        text = Text(ours.words(), ours.elmo(chosen, "input"), ours.characters("spelling"))
        x, h, feature = text.get_output_dim(), 2 * task["hidden"], task["feature_dim"]
        span = 2 * h + feature + x
        lstm = nn.LSTM(x, task["hidden"], batch_first=True, bidirectional=True)
        self.model = CoreferenceResolver(
            vocabulary([]),
            text,
            context_layer=PytorchSeq2SeqWrapper(lstm),
            mention_feedforward=_feed_forward(span, task),
            antecedent_feedforward=_feed_forward(3 * span + feature, task),
            feature_size=feature,
            max_span_width=self.widest,
            spans_per_word=task["spans_per_word"],
            max_antecedents=task["max_antecedents"],
            lexical_dropout=task["lexical_dropout"],
        )
        self.model._mention_recall = self.model._conll_coref_scores = lambda *_: None

    def forward(self, batch: Mapping[str, Tensor], layers: Tensor) -> Tensor:
        """Resolve one document, of which training reads the stretch that ours reads, and evaluation
        the beginning alone, or the peak of memory would be there."""
        lengths = batch["lengths"]
        spare = max(len(lengths) - self.longest, 0)
        # The first number that is drawn in a step, as in ours.
        begin = int(torch.rand(1) * (spare + 1)) if self.training else 0
        seen = slice(begin, begin + self.longest)
        mask = batch["mask"][seen]
        text = {name: batch[name][seen][mask][None] for name in ("words", "spelled")}
        text["layers"] = layers[seen].transpose(1, 2)[mask].transpose(0, 1)[None]
        text["mask"] = torch.ones_like(text["words"], dtype=torch.bool)
        text["spellings"] = batch["spellings"]
        spans, labels = self._spans(lengths[seen], batch["gold"], int(lengths[:begin].sum()))
        loss: Tensor = self.model({"text": text}, spans[None], labels[None])["loss"]
        return loss

    def _spans(self, lengths: Tensor, gold: Tensor, first: int) -> tuple[Tensor, Tensor]:
        """List the spans within sentences, and the cluster of each, −1 for none; the first token is
        the document's `first`."""
        sentence = torch.arange(len(lengths)).repeat_interleave(lengths)
        begins = torch.arange(len(sentence))[:, None].expand(-1, self.widest)
        ends = begins + torch.arange(self.widest)
        last = len(sentence) - 1
        inside = (ends <= last) & (sentence[ends.clamp(max=last)] == sentence[:, None])
        clusters = torch.full(inside.shape, -1)
        rows, widths = gold[:, 0] - first, gold[:, 1] - gold[:, 0]
        there = (rows >= 0) & (gold[:, 1] - first <= last) & (widths < self.widest)
        clusters[rows[there], widths[there]] = gold[there, 2]
        return torch.stack([begins[inside], ends[inside]], dim=1), clusters[inside]


def _feed_forward(dim: int, task: Mapping[str, Any]) -> FeedForward:
    return FeedForward(dim, 2, task["feed_forward"], nn.ReLU(), task["dropout"])
