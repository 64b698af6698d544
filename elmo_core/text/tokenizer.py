"""Words of a raw sentence: spaCy's rule-based English tokenizer (no model, no download)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from elmo_core.packages import needed


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    with needed("spacy", "tokenising raw text"):
        import spacy  # imported where it is used: a second of start-up

    return spacy.blank("en").tokenizer


def tokenize(text: str) -> list[str]:
    """Split `text` into its words, in order; white space is dropped.

    Raises MissingPackageError where spaCy is not installed.

    >>> tokenize("Mr. Smith didn't close the bank.")
    ['Mr.', 'Smith', 'did', "n't", 'close', 'the', 'bank', '.']
    """
    return [token.text for token in _tokenizer()(text) if not token.is_space]


def tokenize_with_offsets(text: str) -> list[tuple[str, int]]:
    """Split `text` into (word, start) pairs: `text[start:start + len(word)] == word` for each.

    Raises MissingPackageError where spaCy is not installed.
    """
    return [(token.text, token.idx) for token in _tokenizer()(text) if not token.is_space]
