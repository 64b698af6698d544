"""Words of a raw sentence: spaCy's rule-based English tokenizer (no model, no download)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from elmo_core.packages import needed

LONGEST = 500  # characters without white space; spaCy takes the square of its time for brackets
_RUN = re.compile(rf"(\S{{{LONGEST + 1},}})")


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    with needed("spacy", "tokenising raw text"):
        import spacy  # imported where it is used: a second of start-up

    return spacy.blank("en").tokenizer


def tokenize(text: str) -> list[str]:
    """Split `text` into its words, in order; white space is dropped.

    What has no white space in more than 500 characters is one word.

    Raises MissingPackageError where spaCy is not installed.

    >>> tokenize("Mr. Smith didn't close the bank.")
    ['Mr.', 'Smith', 'did', "n't", 'close', 'the', 'bank', '.']
    """
    return [word for word, _ in tokenize_with_offsets(text)]


def tokenize_with_offsets(text: str) -> list[tuple[str, int]]:
    """Split `text` into (word, start) pairs: `text[start:start + len(word)] == word` for each.

    Raises MissingPackageError where spaCy is not installed.
    """
    words: list[tuple[str, int]] = []
    start = 0
    for piece in _RUN.split(text):
        if len(piece) > LONGEST and _RUN.fullmatch(piece):
            words.append((piece, start))
        else:
            tokens = _tokenizer()(piece)
            words += [(token.text, start + token.idx) for token in tokens if not token.is_space]
        start += len(piece)
    return words
