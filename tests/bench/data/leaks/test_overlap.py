"""What counts as found: by hand, and against a search that compares everything with everything."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from bench.data.leaks.overlap import RUN, SHORTEST, Collection, Match, normalised


def words(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(number)]


def found(sentence: Sequence[str], text: Sequence[str]) -> list[Match]:
    collection = Collection()
    collection.add(sentence)
    return list(collection.matches(text))


@pytest.mark.parametrize(("shared", "kinds"), [(12, []), (13, ["run"]), (20, ["run"])])
def test_thirteen_words_in_a_row(shared: int, kinds: list[str]) -> None:
    """Of a sentence so long that twelve are no near-duplicate of it."""
    sentence = words("s", 40)
    text = words("a", 30) + sentence[5 : 5 + shared] + words("b", 30)
    matches = found(sentence, text)
    assert [match.kind for match in matches] == kinds
    for match in matches:
        assert (match.words, match.first, match.last) == (shared, 30, 30 + shared - 1)


@pytest.mark.parametrize("length", [7, 8, 12])
def test_short_sentences_must_stand_there_whole(length: int) -> None:
    sentence = words("s", length)
    collection = Collection()
    assert (collection.add(sentence) is None) == (length < SHORTEST)
    around = [words("a", 20), words("b", 20)]
    whole = list(collection.matches(around[0] + sentence + around[1]))
    assert [match.kind for match in whole] == ["short"] * (length >= SHORTEST)
    for part in (sentence[1:], sentence[:-1], [*sentence[:3], "x", *sentence[4:]]):
        assert not list(collection.matches(around[0] + part + around[1]))


def test_near_duplicates() -> None:
    """One word in eleven is new: no thirteen in a row are left, but half of the runs of five."""
    sentence = words("s", 40)
    text = [f"new{i}" if i % 11 == 10 else word for i, word in enumerate(sentence)]
    (match,) = found(sentence, words("a", 9) + text)
    assert (match.kind, match.words) == ("near", 40)
    same = sum(text[i : i + 5] == sentence[i : i + 5] for i in range(36))
    assert 0.5 <= match.share == same / 36 < 0.6
    every_fifth = [f"new{i}" if i % 5 == 2 else word for i, word in enumerate(sentence)]
    assert found(sentence, every_fifth) == []


def test_near_duplicates_stand_together() -> None:
    """The same pieces, scattered over a text, are none."""
    sentence = words("s", 40)
    scattered = [
        word for i in range(4) for word in [*sentence[10 * i : 10 * i + 9], *words("a", 60)]
    ]
    assert found(sentence, scattered) == []


def test_all_places_are_found() -> None:
    sentence = words("s", 15)
    text = [*sentence, "a", *sentence[:13], "b", *sentence[2:]]
    matches = sorted(found(sentence, text), key=lambda match: match.first)
    assert [(m.first, m.words) for m in matches] == [(0, 15), (16, 13), (30, 13)]


def test_against_comparing_everything() -> None:
    """Random sentences over few words, so that runs meet, end and overlap in all ways."""
    drawn = random.Random(0)
    sentences = [drawn.choices("abc", k=drawn.randint(8, 25)) for _ in range(30)]
    for _ in range(40):
        text = drawn.choices("abc", k=60)
        collection = Collection()
        numbers = [collection.add(sentence) for sentence in sentences]
        got = {(m.sentence, m.first, m.last) for m in collection.matches(text) if m.kind != "near"}
        assert got == {
            (number, *place)
            for number, sentence in zip(numbers, sentences, strict=True)
            for place in longest_runs(sentence, text)
        }


def longest_runs(sentence: Sequence[str], text: Sequence[str]) -> set[tuple[int, int]]:
    """(first, last) of each run that is long enough and can be made no longer."""
    places = set()
    for i in range(len(text)):
        for k in range(len(sentence)):
            if i and k and text[i - 1] == sentence[k - 1]:
                continue
            size = 0
            while (
                i + size < len(text)
                and k + size < len(sentence)
                and text[i + size] == sentence[k + size]
            ):
                size += 1
            if size >= min(RUN, len(sentence)):
                places.add((i, i + size - 1))
    return places


@pytest.mark.parametrize(
    ("tokenised", "raw"),
    [
        ("He said : `` I ca n't , Dr. O'Neil . ''", "He said: “I can’t, Dr. O'Neil.”"),
        ("THE well - known man -LRB- 1,000 of them -RRB-", "the well-known man (1,000 of them)"),
        ("l' homme qu' il vit", "L'homme qu'il vit"),
        ("他 在 银行 工作 。", "他在银行工作。"),
        ("Gro\u00dfe Stra\u00dfe", "GROSSE STRASSE"),
        ("ﬁne co\u00adoperation", "fine cooperation"),
        ("हिन्दी भाषा ।", "हिन्दी भाषा।"),
    ],
)
def test_words_are_the_same_however_written(tokenised: str, raw: str) -> None:
    assert normalised(tokenised) == normalised(raw)


def test_marks_belong_to_their_letters() -> None:
    assert normalised("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert normalised("銀行x") == ["銀", "行", "x"]
    assert normalised("— … !") == []
