"""LanguageModel computes, window after window, what BiLM computes over the whole text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.prepare import ENCODED, TRAIN, VOCABULARY
from elmo_core.pretraining.streams import Streams
from elmo_core.pretraining.vocabulary import Vocabulary


@pytest.fixture
def corpus(prepared_once: Path) -> Corpus:
    vocabulary = Vocabulary.read(prepared_once / VOCABULARY)
    return Corpus(prepared_once / ENCODED / TRAIN, vocabulary, 50)


@pytest.mark.parametrize(("clip", "skip"), [(None, True), (0.2, True), (None, False)])
@torch.no_grad()
def test_carried_windows_are_one_long_text(
    make_bilm: Callable[..., BiLM], corpus: Corpus, clip: float | None, skip: bool
) -> None:
    bilm = make_bilm(cell_clip=clip, proj_clip=clip, use_skip_connections=skip)
    model = LanguageModel(bilm, len(corpus.vocabulary)).eval()
    streams = Streams(corpus, batch=3, steps=4)
    state = bilm.zero_state(3, model.softmax.weight)
    outputs = []
    for number in range(3):
        vectors, state = model(streams.window(number), state)
        outputs.append(vectors)
    whole = Streams(corpus, batch=3, steps=12).window(0)
    for d in (0, 1):
        ours = torch.cat(outputs, dim=1)[d].transpose(0, 1)
        chars = whole.char_ids[whole.inputs[d].t()]
        chars = chars if d == 0 else chars.flip(1)  # a BiLM wants the text from left to right
        layers, _ = bilm(chars)
        half = layers[:, -1].chunk(2, dim=-1)[d]
        torch.testing.assert_close(ours, half if d == 0 else half.flip(1), atol=1e-5, rtol=1e-5)
    if clip is not None:
        assert all((memory.abs() == clip).any() for memory in state)  # it has acted


def test_no_gradient_flows_into_the_window_before(options: Options, corpus: Corpus) -> None:
    model = LanguageModel(BiLM(options), len(corpus.vocabulary))
    _, state = model(
        Streams(corpus, 2, 3).window(0), model.bilm.zero_state(2, model.softmax.weight)
    )
    assert not state.hidden.requires_grad
    assert not state.cell.requires_grad
