"""Noise: of a word it makes one word, by the share that is asked for, the same each time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.noise import Noise
from bench.noise.spelling import CONFUSIONS, KINDS, NEIGHBOURS

words = st.text(st.characters(blacklist_categories=("Z", "C")), min_size=1, max_size=6)
noises = st.builds(Noise, st.sampled_from(sorted(KINDS)), st.floats(0, 1), st.integers(0, 9))


@settings(max_examples=200, deadline=None)
@given(words=st.lists(words, max_size=8), noise=noises)
def test_noise_makes_of_a_word_one_word(words: list[str], noise: Noise) -> None:
    new = noise(words)
    assert noise(words) == new
    assert len(new) == len(words)
    assert all(word and not any(map(str.isspace, word)) for word in new)


@settings(max_examples=100, deadline=None)
@given(words=st.lists(words, max_size=8), noise=noises, more=st.floats(0, 1))
def test_more_noise_changes_the_same_words_and_others(
    words: list[str], noise: Noise, more: float
) -> None:
    less = Noise(noise.kind, noise.share * more, noise.seed)
    for word, a_little, a_lot in zip(words, less(words), noise(words), strict=True):
        assert a_little in (word, a_lot)


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_share_is_that_of_words(share: float) -> None:
    sentences = [[f"word{i}x{j}" for j in range(10)] for i in range(400)]
    noise = Noise("drop", share)
    changed = sum(a != b for words in sentences for a, b in zip(words, noise(words), strict=True))
    assert changed / 4000 == pytest.approx(share, abs=0.03)


def test_seeds_differ() -> None:
    sentence = ["The", "letter", "arrived", "yesterday", "morning", "at", "seven"]
    found: set[tuple[str, ...]] = {tuple(Noise("typos", 0.5, seed)(sentence)) for seed in range(20)}
    assert len(found) > 10


def test_neighbouring_keys_are_neighbours_of_each_other() -> None:
    assert all(key in NEIGHBOURS[other] for key in NEIGHBOURS for other in NEIGHBOURS[key])
    assert set(NEIGHBOURS["g"]) == set("tyfhvb")
    assert set(NEIGHBOURS["q"]) == set("wa")


def test_no_letter_is_confused_with_itself() -> None:
    assert all(old and new and old != new for old, new in CONFUSIONS)
    assert len(set(CONFUSIONS)) == len(CONFUSIONS)


@pytest.mark.parametrize("word", ["", "...", "12", "--", "字"])
@pytest.mark.parametrize("kind", ["keyboard", "swap", "punctuation"])
def test_a_word_to_which_a_change_does_not_apply_stays(kind: str, word: str) -> None:
    assert Noise(kind, 1)([word]) == [word]
