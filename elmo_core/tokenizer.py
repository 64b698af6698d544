"""Words of a raw sentence: spaCy's rule-based English tokenizer (no model, no download)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import spacy  # imported where it is used: a second of start-up

    return spacy.blank("en").tokenizer


def tokenize(text: str) -> list[str]:
    """The words of `text`, in order; white space is dropped."""
    return [token.text for token in _tokenizer()(text) if not token.is_space]


def tokenize_with_offsets(text: str) -> list[tuple[str, int]]:
    """(word, start) pairs, so that `text[start:start + len(word)] == word` holds for each."""
    return [(token.text, token.idx) for token in _tokenizer()(text) if not token.is_space]
