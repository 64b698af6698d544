"""Character ids, worked out by hand."""

from __future__ import annotations

import pytest

from elmo_core.bilm.chars import boundary_ids, sentence_ids, word_ids

BEGIN, END, PAD = 259, 260, 261  # after the shift by one


def test_a_word_of_two_bytes() -> None:
    assert word_ids("é") == [BEGIN, 0xC3 + 1, 0xA9 + 1, END] + [PAD] * 46


def test_a_long_word_keeps_48_bytes() -> None:
    assert word_ids("a" * 60) == [BEGIN, *[ord("a") + 1] * 48, END]
    assert word_ids("a" * 48) == word_ids("a" * 60)
    assert word_ids("a" * 47) != word_ids("a" * 48)


def test_a_long_word_may_be_cut_inside_a_character() -> None:
    ids = word_ids("a" * 47 + "é")
    assert ids[48] == 0xC3 + 1
    assert ids[49] == END


def test_boundaries() -> None:
    begin, end = boundary_ids()
    assert begin == [BEGIN, 257, END] + [PAD] * 47
    assert end == [BEGIN, 258, END] + [PAD] * 47


def test_a_boundary_that_a_text_spells_is_a_word() -> None:
    for word, boundary in zip(("<S>", "</S>"), boundary_ids(), strict=True):
        assert word_ids(word)[1 : len(word) + 1] == [byte + 1 for byte in word.encode()]
        assert word_ids(word) != boundary


ODD = ["\0", "\ud800", "😀", "漢字", "e\u0301", "\U0010ffff", " "]


@pytest.mark.parametrize("word", ODD, ids=ascii)
def test_every_string_has_ids(word: str) -> None:
    ids = word_ids(word)
    assert len(ids) == 50
    assert all(1 <= i <= 261 for i in ids)


def test_lone_surrogates_differ() -> None:
    assert word_ids("\ud800")[1:4] == [0xED + 1, 0xA0 + 1, 0x80 + 1]
    assert word_ids("\ud800") != word_ids("\ud801")


def test_sentences_are_framed_and_masked() -> None:
    ids = sentence_ids([["a"], ["b", "c"]])
    begin, end = boundary_ids()
    assert ids.shape == (2, 4, 50)
    assert ids[0].tolist() == [begin, word_ids("a"), end, [0] * 50]
    assert ids[1].tolist() == [begin, word_ids("b"), word_ids("c"), end]
