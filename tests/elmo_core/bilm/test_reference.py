"""Parity with what the original program computed from a published (tiny) biLM."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import pytest
import torch

from elmo_core import load_encoder
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.chars import boundary_ids, sentence_ids, word_ids
from elmo_core.encoders.elmo import ElmoEncoder

TOLERANCE = 1e-5
Lists = list[list[list[str]]]  # of sentences
LISTS = 3


@pytest.fixture(scope="module")
def encoder(reference: Path) -> ElmoEncoder:
    options, weights = reference / "options.json", reference / "lm_weights.hdf5"
    return load_encoder(options=options, weights=weights)


@pytest.fixture(scope="module")
def bilm(encoder: ElmoEncoder) -> BiLM:
    return encoder.bilm


@pytest.fixture(scope="module")
def sentences(reference: Path) -> Lists:
    lists = json.loads((reference / "sentences.json").read_text())
    return [[line.split() for line in lines] for lines in lists]


@pytest.fixture(scope="module")
def expected(reference: Path) -> list[list[torch.Tensor]]:
    """expected[k][i]: the top layer of sentence i of list k, (tokens, 2D)."""
    tops = []
    for k in range(LISTS):
        with h5py.File(reference / f"lm_embeddings_{k}.hdf5") as file:
            rows = [torch.from_numpy(file[str(i)][()]) for i in range(len(file))]
        tops.append([torch.cat([ahead, back], dim=-1) for ahead, back in rows])
    return tops


def deviation(got: torch.Tensor, expected: torch.Tensor) -> float:
    assert got.shape == expected.shape
    return (got - expected).abs().max().item()


def test_top_layer_with_state_carried_from_batch_to_batch(
    bilm: BiLM, sentences: Lists, expected: list[list[torch.Tensor]]
) -> None:
    state, checked = None, 0
    for i in range(10):
        batch = [sentences[k][i] for k in range(LISTS)]
        layers, state = bilm(sentence_ids(batch), state)
        for k, words in enumerate(batch):
            top = layers[k, -1, 1 : len(words) + 1]
            assert deviation(top, expected[k][i]) <= TOLERANCE
            checked += len(words)
    assert checked == sum(len(words) for lines in sentences for words in lines)


def test_a_list_alone_gives_the_same_numbers(
    bilm: BiLM, sentences: Lists, expected: list[list[torch.Tensor]]
) -> None:
    for k in range(LISTS):
        state = None
        for words, top in zip(sentences[k], expected[k], strict=True):
            layers, state = bilm(sentence_ids([words]), state)
            assert deviation(layers[0, -1, 1:-1], top) <= TOLERANCE


def test_without_the_state_later_batches_differ(
    bilm: BiLM, sentences: Lists, expected: list[list[torch.Tensor]]
) -> None:
    """The state matters: a model that dropped it would pass the first batch only."""
    first, second = (bilm(sentence_ids([sentences[0][i]]))[0][0, -1, 1:-1] for i in (0, 1))
    assert deviation(first, expected[0][0]) <= TOLERANCE
    assert deviation(second, expected[0][1]) > 1


def test_token_layer(bilm: BiLM, reference: Path) -> None:
    words = (reference / "vocab_test.txt").read_text(encoding="utf-8").split("\n")
    with h5py.File(reference / "elmo_token_embeddings.hdf5") as file:
        rows = torch.from_numpy(file["embedding"][()])
    begin, end = boundary_ids()
    spelled = [{"<S>": begin, "</S>": end}.get(word) or word_ids(word) for word in words]
    assert deviation(bilm.char_cnn(torch.tensor(spelled)), rows) <= TOLERANCE


def test_encode_gives_the_same_numbers_in_any_company(
    encoder: ElmoEncoder, sentences: Lists
) -> None:
    everything = [words for lines in sentences for words in lines]
    for words, together in zip(everything, encoder.encode(everything), strict=True):
        assert deviation(encoder.encode([words])[0], together) <= TOLERANCE
