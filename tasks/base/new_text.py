"""New text, as a user gives it: named fields, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elmo_core.text.tokenizer import tokenize
from tasks.task import DataError


def text_of(given: Mapping[str, Any], key: str = "text") -> str:
    """A field that must be there. Raises DataError."""
    text = given.get(key)
    if not isinstance(text, str) or not text.strip():
        there = ", ".join(given) or "nothing"
        raise DataError(f"needs the field {key!r}, a text that is not empty; given: {there}")
    return text


def tokens_of(given: Mapping[str, Any], key: str = "text") -> list[str]:
    """A field's words; `tokens`, a list, may take the place of `text`. Raises DataError."""
    tokens = given.get("tokens") if key == "text" else None
    if tokens is None:
        return tokenize(text_of(given, key))
    if not (isinstance(tokens, list) and tokens and all(isinstance(t, str) and t for t in tokens)):
        raise DataError("tokens: must be a list of words, none of them empty")
    return list(tokens)
