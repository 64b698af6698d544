"""New text, as a user gives it: named fields, checked."""

from __future__ import annotations

from collections.abc import Mapping
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
