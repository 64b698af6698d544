"""What a step of training is: loss, negatives, dropout, rate, clipping, first weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.pretraining import model as code
from elmo_core.pretraining.corpus import Corpus, Window
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.prepare import ENCODED, TRAIN, VOCABULARY
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.softmax import Softmax
from elmo_core.pretraining.streams import Streams
from elmo_core.pretraining.vocabulary import Vocabulary

Make = Callable[..., PretrainingModule]


@pytest.fixture
def corpus(prepared_once: Path) -> Corpus:
    return Corpus(prepared_once / ENCODED / TRAIN, Vocabulary.read(prepared_once / VOCABULARY), 50)


@pytest.fixture
def made(options: Options, corpus: Corpus, training: Training) -> Make:
    def make(**changes: Any) -> PretrainingModule:
        changed = replace(training, **changes)
        model = LanguageModel(BiLM(options), len(corpus.vocabulary), changed.dropout)
        return PretrainingModule(model, corpus, changed)

    return make


def test_the_loss_is_a_sum_over_steps_and_adagrad_begins_at_one(
    made: Make, corpus: Corpus, training: Training
) -> None:
    """As the published training has them; its gradient is clipped as a whole."""
    module = made(optimizer="adagrad", dropout=0.0, all_clip_norm_val=0.1)
    optimizer: Any = module.configure_optimizers()
    assert {state["sum"].unique().item() for state in optimizer.state.values()} == {1.0}
    window = Streams(corpus, training.batch_size, training.unroll_steps).window(0)
    loss = module.training_step(window, 0)
    state = module.model.bilm.zero_state(training.batch_size, module.model.softmax.weight)
    vectors, _ = module.model(window, state)
    mean = module.model.softmax.losses(vectors.flatten(0, 2), window.targets.flatten()).mean()
    torch.testing.assert_close(loss, training.unroll_steps * mean)
    loss.backward()
    module.configure_gradient_clipping(optimizer)
    norms = [p.grad.norm() for p in module.parameters() if p.grad is not None]
    assert torch.stack(norms).norm().item() == pytest.approx(0.1, rel=1e-3)


def test_negatives_are_drawn_where_they_are_fewer_than_half_of_the_words(
    made: Make, corpus: Corpus
) -> None:
    size = len(corpus.vocabulary)
    for asked, drawn in (
        (0, None),
        (2, 2),
        ((size - 1) // 2, (size - 1) // 2),
        (-(-size // 2), None),
    ):
        found = made(n_negative_samples_batch=asked).negatives(3)
        assert (found and len(found.words)) == drawn


def test_dropout_is_on_what_each_lstm_and_the_softmax_read(
    made: Make, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Tensor] = []
    unroll = code.unroll

    def noted(lstm: Any, x: Tensor, *state: Any) -> Any:
        read.append(x)
        return unroll(lstm, x, *state)

    monkeypatch.setattr(code, "unroll", noted)
    model = made(dropout=0.5).model
    window = Streams(corpus, 4, 5).window(0)
    output, _ = model(window, model.bilm.zero_state(4, model.softmax.weight))
    assert len(read) == 4
    for x in (*read, *output):
        assert (x == 0).float().mean().item() == pytest.approx(0.5, abs=0.15)


def test_the_rate_warms_up_for_a_tenth_at_most_then_falls_along_a_cosine(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = []
    step = PretrainingModule.training_step

    def noted(self: PretrainingModule, window: Window, index: int) -> Tensor:
        rates.append(self.trainer.optimizers[0].param_groups[0]["lr"])
        return step(self, window, index)

    monkeypatch.setattr(PretrainingModule, "training_step", noted)
    run(tmp_path / "whole", epochs=0.5, warmup_steps=500)
    total = len(rates)
    warm = total // 10
    assert warm > 1
    rising = [(i + 1) / warm for i in range(warm)]
    falling = [(1 + math.cos(math.pi * i / (total - warm))) / 2 for i in range(total - warm)]
    assert rates == pytest.approx([0.03 * share for share in (*rising, *falling)])


def test_first_weights(tiny_options: dict[str, Any]) -> None:
    """The softmax's spread is one over the root of its width, that of filters before tanh one over
    the root of what they read; a projection's are Glorot's."""
    assert Softmax(3000, 64).weight.std().item() == pytest.approx(1 / 8, rel=0.02)
    tiny_options["lstm"].update(dim=100, projection_dim=50)
    projection = BiLM(tiny_options).state_dict()["forward_lstm.0.projection"]
    limit = (6 / 150) ** 0.5
    assert 0.95 * limit < projection.abs().max() <= limit
    tiny_options["char_cnn"].update(activation="tanh", filters=[[3, 200]])
    filters = BiLM(tiny_options).state_dict()["char_cnn.banks.0.weight"]
    assert filters.std().item() == pytest.approx(12**-0.5, rel=0.1)
