"""With which weights a model begins, where its docstring says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from elmo_core import Placement
from tasks.coref import model as coref
from tasks.ner import model as ner
from tasks.nn.char_words import CharCNN
from tasks.nn.crf import CRF
from tasks.nn.merge import Merge
from tasks.nn.recurrent.bilstm import BiLSTM
from tasks.nn.trilinear import Trilinear
from tasks.nn.words import WordEmbedding, Words, WordVocabulary
from tasks.snli import model as snli
from tasks.squad import model as squad
from tasks.srl import model as srl
from tasks.sst5 import model as sst5

NONE = Placement("none", 0, 0)


def words() -> WordEmbedding:
    return WordEmbedding(Words(WordVocabulary("abc"), 40))


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (lambda: BiLSTM(200, 30), "rnn.weight_ih_l0 rnn.weight_ih_l0_reverse"),
        (lambda: Merge(40, 60), "0.weight"),
        (lambda: CharCNN(char_dim=8, filters=50, widths=[3]), "banks.0.weight"),
        (
            lambda: snli.ESIM(words(), NONE, snli.Sizes(hidden=30), labels=3),
            "enhance.weight classifier.1.weight",
        ),
        (
            lambda: sst5.BCN(words(), NONE, sst5.Sizes(hidden=30), labels=5),
            "feedforward.1.weight classifier.1.weight",
        ),
        (
            lambda: ner.Tagger(words(), NONE, ner.Sizes(), tags=["O"] * 9, scheme="bio"),
            "dense.weight",
        ),
        (
            lambda: squad.BiDAF(words(), NONE, squad.Sizes()),
            "start_score.weight end_score.weight merge.0.weight",
        ),
        (
            lambda: coref.EndToEnd(words(), NONE, coref.Sizes(), genres=2),
            "spelling.table.weight spans.first.weight antecedents.first.weight",
        ),
    ],
)
def test_glorot_s_uniform_weights_and_no_bias(made: Callable[[], nn.Module], names: str) -> None:
    torch.manual_seed(0)
    state: dict[str, Any] = made().state_dict()
    for name in names.split():
        weight = state[name]
        fan_in, fan_out = weight[0].numel(), weight.shape[0] * weight[0, 0].numel()
        bound = (6 / (fan_in + fan_out)) ** 0.5
        assert 0.9 * bound < weight.abs().max() <= bound, name
        bias = state.get(name.replace("weight", "bias"))
        if bias is not None and not name.startswith(("banks", "rnn")):
            assert not bias.any(), name


def test_other_first_weights() -> None:
    torch.manual_seed(0)
    assert CRF(["O"] * 99).scores.std().item() == pytest.approx(0.1, rel=0.05)
    for weight in Trilinear(300).parameters():
        assert 0.09 < weight.abs().max() <= 0.1
    model = srl.DeepSRL(words(), NONE, srl.Sizes(hidden=20, layers=1), tags=5)
    dense = model.dense.weight
    torch.testing.assert_close(dense @ dense.T, torch.eye(5), atol=1e-5, rtol=0)
    assert model.predicate.weight.std().item() == pytest.approx(0.4, rel=0.15)
