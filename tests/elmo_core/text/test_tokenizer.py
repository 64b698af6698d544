"""Runs of characters cut one by one and remembered: what spaCy makes of the whole text."""

from __future__ import annotations

from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_core.text.tokenizer import LONGEST, tokenize, tokenize_with_offsets

SPACY: Any = spacy.blank("en").tokenizer
WHITE = ("", "", " ", "  ", "\t", "\n", "\u00a0", "\x1c")
OTHERS = [
    "a",
    "Bank",
    "'",
    '"',
    "(",
    ")",
    ".",
    ",",
    ":",
    ";",
    "-",
    "…",
    "3",
    "10km",
    "http://a.b/c",
]


def of_spacy(text: str) -> list[tuple[str, int]]:
    return [(token.text, token.idx) for token in SPACY(text) if not token.is_space]


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([*SPACY.rules, *OTHERS]), st.sampled_from(WHITE)), max_size=9
    )
)
def test_exceptions_punctuation_and_white_space_in_any_order(parts: list[tuple[str, str]]) -> None:
    text = "".join(map("".join, parts))
    assert tokenize_with_offsets(text) == of_spacy(text)
    assert tokenize(text) == [word for word, _ in of_spacy(text)]


@settings(max_examples=500, deadline=None)
@given(st.text("'’\":;.,-()<>=_*/\\ \t\naebcdDOPSstx30…°^ｏ\u200b\u00a0]}|", max_size=20))
def test_any_characters(text: str) -> None:
    assert tokenize_with_offsets(text) == of_spacy(text)


@pytest.mark.parametrize("text", ["hi:) )", "a:o )"])
def test_an_exception_that_reaches_across_white_space(text: str) -> None:
    """Cut one by one, these would be other words."""
    expected = [word for word, _ in of_spacy(text)]
    assert expected != [word for run in text.split() for word, _ in of_spacy(run)]
    assert tokenize(text) == expected


@pytest.mark.parametrize(
    "run",
    ["(" * (LONGEST + 1), "[" * 100_000, "'s" * 50_000, "x" * (LONGEST + 1)],
    ids=["(", "[", "'s", "x"],
)
def test_what_has_no_white_space_for_long_is_one_word(run: str) -> None:
    assert tokenize(f"a {run} bank.") == ["a", run, "bank", "."]
    assert tokenize_with_offsets(f":( {run} )") == [(":(", 0), (run, 3), (")", len(run) + 4)]
    assert tokenize_with_offsets(f"A {run} bank.") == [
        *(("A", 0), (run, 2)),
        *(("bank", 3 + len(run)), (".", 7 + len(run))),
    ]


def test_the_longest_run_is_still_cut() -> None:
    assert len(tokenize("(" * LONGEST)) == len(tokenize("[" * LONGEST)) == LONGEST
