"""New text, as a user gives it: named fields, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elmo_core.text.tokenizer import tokenize
from tasks.task import DataError


def text_of(fields: Mapping[str, Any], key: str = "text") -> str:
    """Return a field that must be there and hold text.

    Raises:
        DataError: it is missing, empty, or no text.

    >>> text_of({"text": "A man sleeps."})
    'A man sleeps.'
    """
    text = fields.get(key)
    if not isinstance(text, str) or not text.strip():
        there = ", ".join(fields) or "nothing"
        raise DataError(f"needs the field {key!r}, a text that is not empty; given: {there}")
    return text


def place_of(fields: Mapping[str, Any], key: str, words: Sequence[str]) -> int:
    """Return the place of one of the words: a field has the word, or its place from 0.

    Raises:
        DataError: it has neither.

    >>> place_of({"word": "sleeps"}, "word", ["He", "sleeps"])
    1
    """
    given = fields.get(key)
    place = words.index(given) if given in words else given
    if type(place) is not int or not 0 <= place < len(words):  # true is no place
        raise DataError(f"{key}: {given!r} is neither a word of {words} nor its place")
    return place


def tokens_of(fields: Mapping[str, Any], key: str = "text") -> list[str]:
    """Return a field's words; `tokens`, a list, may take the place of `text`.

    Raises:
        DataError: the field is missing, empty, or of another type.

    >>> tokens_of({"text": "A man sleeps."})
    ['A', 'man', 'sleeps', '.']
    >>> tokens_of({"tokens": ["Hi", "there"]})
    ['Hi', 'there']
    """
    tokens = fields.get("tokens") if key == "text" else None
    if tokens is None:
        return tokenize(text_of(fields, key))
    if not (isinstance(tokens, list) and tokens and all(isinstance(t, str) and t for t in tokens)):
        raise DataError("tokens: must be a list of words, none of them empty")
    return list(tokens)
