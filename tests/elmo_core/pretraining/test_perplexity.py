"""Perplexity where it is known: an ignorant model, and a language of two words."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.loop import fit
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.perplexity import Perplexity, measure, measure_text
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.streams import Arcs


def test_a_model_that_knows_nothing_is_as_perplexed_as_there_are_words(
    make_bilm: Callable[..., BiLM], make_corpus: Callable[..., Corpus]
) -> None:
    corpus = make_corpus([["a", "b"], ["c", "d", "e"]], ["a", "b", "c"])
    model = LanguageModel(make_bilm(), 6)
    torch.nn.init.zeros_(model.softmax.weight)
    found = measure(model, corpus)
    assert (found.forward, found.backward) == pytest.approx((6, 6))
    assert found.tokens == 7


def test_the_batch_changes_nothing(
    make_bilm: Callable[..., BiLM],
    make_corpus: Callable[..., Corpus],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def short(self: Arcs, corpus: Corpus) -> None:
        self.__dict__.update(corpus=corpus, length=30)

    monkeypatch.setattr(Arcs, "__init__", short)
    rng = random.Random(0)
    corpus = make_corpus(
        [rng.choices("abcdef", k=rng.randint(1, 9)) for _ in range(60)], list("abcd")
    )
    model = LanguageModel(make_bilm(), len(corpus.vocabulary), dropout=0.5)
    torch.nn.init.normal_(model.softmax.weight)
    one, *others = (measure(model, corpus, rows) for rows in (1, 3, 64))
    for other in others:
        assert (other.forward, other.backward) == pytest.approx(
            (one.forward, one.backward), rel=1e-5
        )
    assert measure(model, corpus, limit=60).tokens < one.tokens
    assert model.training


def test_a_language_of_two_words_has_the_perplexity_of_its_closed_form(
    options: Options, make_corpus: Callable[..., Corpus], tmp_path: Path
) -> None:
    """Each sentence is one of two words, p = 0.2: nothing else is uncertain, in either direction.

    So half of all tokens carry the entropy of a biased coin, and the other half none.
    """
    rng = random.Random(0)
    corpus = make_corpus([["a" if rng.random() < 0.2 else "b"] for _ in range(4000)], ["a", "b"])
    share = sum(corpus.tokens == corpus.vocabulary.ids["a"]) / 4000
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    training = Training(
        batch_size=50, unroll_steps=4, epochs=3, optimizer="adam", learning_rate=0.03, dropout=0.0
    )
    torch.manual_seed(0)
    module = PretrainingModule(LanguageModel(BiLM(options), 5), corpus, training)
    fit(module, corpus, tmp_path / "out", accelerator="cpu")
    found = measure(module.model, corpus)
    closed_form = math.exp(entropy / 2)
    assert found.forward == pytest.approx(closed_form, rel=0.01)
    assert found.backward == pytest.approx(closed_form, rel=0.01)


def test_the_average_is_that_of_both_directions() -> None:
    assert Perplexity(2.0, 4.0, 1).average == 3


def test_text_that_is_empty(
    make_bilm: Callable[..., BiLM], make_corpus: Callable[..., Corpus], tmp_path: Path
) -> None:
    corpus = make_corpus([["a"]], ["a"])
    (tmp_path / "nothing.txt").write_text("\n \n")
    with pytest.raises(CorpusError, match=r"/nothing\.txt: the text is empty"):
        measure_text(LanguageModel(make_bilm(), 4), corpus.vocabulary, [tmp_path / "nothing.txt"])
