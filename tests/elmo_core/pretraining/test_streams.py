"""The text as numbers, and who reads what when."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from elmo_core.bilm.chars import boundary_ids, word_ids
from elmo_core.pretraining.corpus import Corpus, Window
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.streams import Arcs, Streams
from elmo_core.pretraining.vocabulary import Vocabulary

SENTENCES = [["a", "b"], ["c"], ["b", "rare", "a"]]
WORDS = ["a", "b", "c"]
AHEAD = ["a", "b", "</S>", "c", "</S>", "b", "<UNK>", "a", "</S>"]
BACK = ["a", "<UNK>", "b", "<S>", "c", "<S>", "b", "a", "<S>"]


@pytest.fixture
def corpus(make_corpus: Callable[..., Corpus]) -> Corpus:
    return make_corpus(SENTENCES, WORDS)


def spelled(window: Window) -> NDArray[Any]:
    """What is read, as words: (2, steps, batch)."""
    names = {tuple(word_ids(w)): w for w in [*WORDS, "rare"]}
    names |= dict(zip(map(tuple, boundary_ids()), ["<S>", "</S>"], strict=True))
    table = [names[tuple(ids)] for ids in window.char_ids.tolist()]
    return np.array(table)[window.inputs.numpy()]


def said(window: Window) -> NDArray[Any]:
    return np.array(["<S>", "</S>", "<UNK>", *WORDS])[window.targets.numpy()]


def test_both_directions_read_and_predict_the_published_pairs(corpus: Corpus) -> None:
    window = corpus.window(np.array([0]), np.array([len(corpus) - 1]), len(corpus))
    ahead, back = spelled(window)[:, :, 0].tolist()
    assert ahead == ["<S>", "a", "b", "<S>", "c", "<S>", "b", "rare", "a"]
    assert back == ["</S>", "a", "rare", "b", "</S>", "c", "</S>", "b", "a"]
    assert said(window)[:, :, 0].tolist() == [AHEAD, BACK]


def test_distinct_words_are_spelled_once(corpus: Corpus) -> None:
    window = corpus.window(np.arange(9), np.arange(9), 9)
    assert len(window.char_ids) == len(window.char_ids.unique(dim=0)) == 6


def test_a_stream_reads_the_whole_text_both_ways(corpus: Corpus) -> None:
    window = Streams(corpus, batch=1, steps=9).window(0)
    assert said(window)[:, :, 0].tolist() == [AHEAD, BACK]


def test_windows_continue_each_other_in_both_directions(corpus: Corpus) -> None:
    whole = Streams(corpus, batch=2, steps=12).window(0)
    parts = [Streams(corpus, batch=2, steps=4).window(i) for i in range(3)]
    for view in (spelled, said):
        joined = np.concatenate([view(part) for part in parts], axis=1)
        assert (joined == view(whole)).all()


def test_a_row_goes_on_into_its_neighbours_arc(corpus: Corpus) -> None:
    ahead = spelled(Streams(corpus, batch=3, steps=6).window(0))[0]
    assert (ahead[3:, 0] == ahead[:3, 1]).all()
    assert (ahead[3:, 2] == ahead[:3, 0]).all()


def test_devices_share_the_rows(corpus: Corpus) -> None:
    whole = Streams(corpus, batch=4, steps=3).window(1)
    halves = [Streams(corpus, batch=2, steps=3, rank=r, devices=2).window(1) for r in (0, 1)]
    assert torch.equal(torch.cat([half.targets for half in halves], dim=2), whole.targets)


@pytest.mark.parametrize("length", [1, 2, 4, 100])
def test_measuring_counts_every_place_once(corpus: Corpus, length: int) -> None:
    arcs = Arcs(corpus, length)
    ahead, back = [], []
    for window, mask in arcs.windows(np.arange(arcs.pieces), steps=2):
        ahead += said(window)[0][mask].tolist()
        back += said(window)[1][mask].tolist()
    assert (sorted(ahead), sorted(back)) == (sorted(AHEAD), sorted(BACK))


def test_a_text_encoded_with_another_vocabulary_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="another vocabulary"):
        Corpus(tmp_path / "encoded", Vocabulary.of(["b", "a", "c"]), 50)
    with pytest.raises(CorpusError, match="no encoded text"):
        Corpus(tmp_path, corpus.vocabulary, 50)


def test_boundary_spellings_in_a_text_mean_nothing(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([["<S>", "</S>"]], ["a"])
    window = corpus.window(np.array([0]), np.array([0]), 3)
    assert window.targets[0, :, 0].tolist() == [2, 2, 1]
