"""Where dropout falls in each model in training, and that it is all gone in prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from elmo_core import Placement
from tasks.coref.model import EndToEnd
from tasks.coref.model import Sizes as CorefSizes
from tasks.ner.model import Sizes as NERSizes
from tasks.ner.model import Tagger
from tasks.nn.char_words import spell
from tasks.nn.words import WordEmbedding, Words, WordVocabulary
from tasks.snli.model import ESIM
from tasks.snli.model import Sizes as SNLISizes
from tasks.squad.model import BiDAF
from tasks.squad.model import Sizes as SQuADSizes
from tasks.srl.model import DeepSRL
from tasks.srl.model import Sizes as SRLSizes
from tasks.sst5.model import BCN
from tasks.sst5.model import Sizes as SST5Sizes

ROWS, TOKENS = 4, 6
MASK = torch.ones(ROWS, TOKENS, dtype=torch.bool)
ZEROS = torch.zeros(ROWS, TOKENS, dtype=torch.long)
SENTENCES = [list("abcdef")] * ROWS
P = 0.5


def snli(words: WordEmbedding, none: Placement) -> nn.Module:
    sizes = SNLISizes(hidden=20, dropout=P, attention_dropout=P, regularised="always")
    return ESIM(words, none, sizes, labels=3)


def sst5(words: WordEmbedding, none: Placement) -> nn.Module:
    return BCN(words, none, SST5Sizes(hidden=20, dropout=P, output_dropout=(P, P, P)), labels=5)


def ner(words: WordEmbedding, none: Placement) -> nn.Module:
    return Tagger(words, none, NERSizes(hidden=(20, 20), dropout=P), tags=["O"], scheme="bio")


def srl(words: WordEmbedding, none: Placement) -> nn.Module:
    return DeepSRL(words, none, SRLSizes(hidden=40, layers=2, dropout=P), tags=3)


def squad(words: WordEmbedding, none: Placement) -> nn.Module:
    return BiDAF(words, none, SQuADSizes(hidden=20, dropout=P, char_dropout=P))


def coref(words: WordEmbedding, none: Placement) -> nn.Module:
    sizes = CorefSizes(hidden=20, feed_forward=20, lexical_dropout=P, dropout=P)
    return EndToEnd(words, none, sizes, genres=1)


def made(build: Callable[[WordEmbedding, Placement], nn.Module]) -> nn.Module:
    """A model in which ReLU makes no zeros."""
    words = WordEmbedding(Words(WordVocabulary("abcdef"), 20), std=1.0)
    model = build(words, Placement("none", 0, 0))
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Conv1d):
            nn.init.normal_(module.weight, std=0.01)
            if module.bias is not None:
                nn.init.ones_(module.bias)
    return model


def given() -> dict[str, Tensor]:
    words = torch.arange(2, 2 + TOKENS).expand(ROWS, -1)
    spellings, spelled = spell(SENTENCES)
    lengths = MASK.sum(1)
    sides = {"words": words, "lengths": lengths, "spellings": spellings, "spelled": spelled}
    return {
        **sides,
        **{f"question_{name}": value for name, value in sides.items()},
        "mask": MASK,
        "predicate": ZEROS,
        "speakers": ZEROS,
        "tags": ZEROS,
        "labels": torch.tensor([0, 1]),
        "first": ZEROS[:, :1],
        "last": ZEROS[:, :1],
        "document_lengths": torch.tensor([ROWS]),
        "genre": torch.tensor([1]),
        "gold": torch.tensor([[0, 0, 1]]),
    }


def read(model: nn.Module, part: str, argument: int) -> Tensor:
    """What a part of the model reads in one pass."""
    seen: list[Tensor] = []
    hook = model.get_submodule(part).register_forward_pre_hook(
        lambda _, arguments: seen.append(arguments[argument])
    )
    batch: dict[str, Any] = given()
    if isinstance(model, BCN):
        batch["labels"] = batch["labels"].repeat(2)
    model(batch, None)
    hook.remove()
    return seen[0].detach()


VARIATIONAL = [
    (snli, "encoder", 0),
    (snli, "composition", 0),
    (ner, "lower", 0),
    (ner, "upper", 0),
    (srl, "dense", 0),
    (squad, "encoder", 0),
    (squad, "attention", 0),
    (squad, "attention", 1),
    (squad, "inner", 0),
    (squad, "self_attention", 0),
    (squad, "start", 0),
]
PLAIN = [
    (snli, "enhance", 0),
    (snli, "classifier.1", 0),
    (snli, "classifier.4", 0),
    (sst5, "feedforward.1", 0),
    (sst5, "encoder", 0),
    (sst5, "classifier.1", 0),
    (sst5, "classifier.4", 0),
    (sst5, "classifier.7", 0),
    (coref, "encoder", 0),
    (coref, "spans", 0),
    (coref, "spans", 1),
    (coref, "spans.rest.2", 0),
    (coref, "spans.rest.5", 0),
    (coref, "antecedents.rest.2", 0),
    (coref, "antecedents.rest.5", 0),
]


@pytest.mark.parametrize(("build", "part", "argument"), VARIATIONAL)
def test_whole_features_of_a_sequence_are_dropped(build: Any, part: str, argument: int) -> None:
    model = made(build)
    dropped = read(model, part, argument) == 0
    assert (dropped == dropped[:, :1]).all()
    assert dropped.float().mean().item() == pytest.approx(P, abs=0.2)
    assert not (read(model.eval(), part, argument) == 0).any()


@pytest.mark.parametrize(("build", "part", "argument"), PLAIN)
def test_single_numbers_are_dropped(build: Any, part: str, argument: int) -> None:
    model = made(build)
    dropped = (read(model, part, argument) == 0).flatten(0, -2)
    assert dropped.float().mean().item() == pytest.approx(P, abs=0.2)
    assert (dropped != dropped[:1]).any()
    assert not (read(model.eval(), part, argument) == 0).any()


def test_the_rate_of_the_characters_is_their_own() -> None:
    words = WordEmbedding(Words(WordVocabulary("abcdef"), 20))
    model = BiDAF(words, Placement("none", 0, 0), SQuADSizes(dropout=P, char_dropout=0.1))
    spelling: Any = model.spelling
    assert spelling.dropout.p == 0.1
