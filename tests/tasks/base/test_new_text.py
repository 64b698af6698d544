"""Fields of new text that hold none."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.base.new_text import place_of, text_of, tokens_of
from tasks.task import DataError


@pytest.mark.parametrize("fields", [{}, {"text": ""}, {"text": " \n"}, {"text": 3}])
def test_a_text_is_not_blank(fields: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="needs the field 'text'"):
        text_of(fields)
    with pytest.raises(DataError, match="needs the field 'text'"):
        tokens_of(fields)


@pytest.mark.parametrize("tokens", [[], ["a", ""], ["a", 3], "a b", ("a",)])
def test_words_are_a_list_and_none_is_empty(tokens: Any) -> None:
    with pytest.raises(DataError, match="tokens: must be a list of words, none of them empty"):
        tokens_of({"tokens": tokens, "text": "A man sleeps."})


def test_words_take_the_place_of_the_text_alone() -> None:
    fields = {"tokens": ["Hi"], "text": "A man.", "question": "Who sleeps?"}
    assert tokens_of(fields) == ["Hi"]
    assert tokens_of(fields, "question") == ["Who", "sleeps", "?"]


def test_a_place_is_a_words_or_a_number() -> None:
    assert [place_of({"word": w}, "word", ["He", "sat", "sat"]) for w in ("sat", 2, 0)] == [1, 2, 0]


@pytest.mark.parametrize("given", [3, -1, 1.0, True, "lay", None, ["sat"]])
def test_what_is_no_place_is_refused(given: Any) -> None:
    with pytest.raises(DataError, match=r"word: .+ is neither a word of \['He', 'sat', 'sat'\]"):
        place_of({"word": given}, "word", ["He", "sat", "sat"])
