"""The words of a paragraph or a question, each with its place in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from elmo_core.text.tokenizer import tokenize_with_offsets

# What the paper's tokeniser splits off besides: hyphens and dashes, currencies, quotation marks,
# brackets and what stands before one ("million.[4]"), a single underscore between other characters.
# Answers often begin or end there.
_BREAKS = re.compile(
    r"""(``|''|(?<=[^_])_(?=[^_])|[.,:;](?=\[)|[][(){}<>]|[-$£€¥¢₹−—–/~"'“”‘’°])"""
)
_SPELLINGS = {"``": '"', "''": '"', "−": "-", "—": "–"}  # as word vectors know them


@dataclass(frozen=True)
class Tokens:
    """Words as the model sees them, and the characters start ≤ i < end that each one covers."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def tokenise(text: str) -> Tokens:
    """Split `text` into words; only white space lies between them."""
    tokens = Tokens([], [], [])
    for word, start in tokenize_with_offsets(text):
        for piece, spelling in _pieces(word):
            tokens.words.append(spelling)
            tokens.starts.append(start)
            start += len(piece)
            tokens.ends.append(start)
    return tokens


@lru_cache(maxsize=1 << 17)
def _pieces(word: str) -> tuple[tuple[str, str], ...]:
    """Split a word, into what stands there and what the model sees."""
    pieces = filter(None, _BREAKS.split(word))
    return tuple((piece, _SPELLINGS.get(piece, piece)) for piece in pieces)
