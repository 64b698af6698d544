"""The words of a paragraph or a question, each with its place in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
        for piece in _BREAKS.split(word):
            if piece:
                tokens.words.append(_SPELLINGS.get(piece, piece))
                tokens.starts.append(start)
                tokens.ends.append(start + len(piece))
            start += len(piece)
    return tokens
