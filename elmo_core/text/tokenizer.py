"""Words of a raw sentence: spaCy's rule-based English tokenizer (no model, no download).

spaCy cuts each run of characters between white space by itself, but for one thing: its exceptions
(`a.m.`, `:-)`) are sought across white space, too. Where none can reach across, a run is cut once
and remembered, which is quicker: most runs of a text have been there before.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from operator import add
from typing import Any

from elmo_core.packages import needed

LONGEST = 500  # characters without white space; spaCy takes the square of its time for brackets
_LONG = re.compile(rf"(\S{{{LONGEST + 1},}})")
_RUN = re.compile(r"\S+")


def tokenize(text: str) -> list[str]:
    """Split `text` into its words, in order; white space is dropped.

    What has no white space in more than 500 characters is one word.

    Raises MissingPackageError where spaCy is not installed.

    >>> tokenize("Mr. Smith didn't close the bank.")
    ['Mr.', 'Smith', 'did', "n't", 'close', 'the', 'bank', '.']
    """
    runs = text.split()
    if _connected(runs):
        return [word for word, _ in _together(text)]
    return [word for run in runs for word in _words(run)]


def tokenize_with_offsets(text: str) -> list[tuple[str, int]]:
    """Split `text` into (word, start) pairs: `text[start:start + len(word)] == word` for each.

    Raises MissingPackageError where spaCy is not installed.
    """
    if _connected(text.split()):
        return _together(text)
    words: list[tuple[str, int]] = []
    for run in _RUN.finditer(text):
        start = run.start()
        for word in _words(run[0]):
            words.append((word, start))
            start += len(word)
    return words


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    with needed("spacy", "tokenising raw text"):
        import spacy  # imported where it is used: a second of start-up

    return spacy.blank("en").tokenizer


@lru_cache(maxsize=1)
def _joints() -> frozenset[str]:
    """What an exception that reaches across white space has to both sides of it: two characters.

    Exceptions are sought as the words into which they are cut where they are none.
    """
    usual = _tokenizer()
    names = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")
    plain = type(usual)(usual.vocab, **{name: getattr(usual, name) for name in names})
    found = (pairwise(word.text for word in plain(exception)) for exception in usual.rules)
    return frozenset(left[-1] + right[0] for words in found for left, right in words)


def _connected(runs: list[str]) -> bool:
    """Return whether an exception may reach from one run of characters into the next."""
    ends, begins = [run[-1] for run in runs], [run[0] for run in runs[1:]]
    return not _joints().isdisjoint(map(add, ends, begins))


@lru_cache(maxsize=1 << 17)
def _words(run: str) -> tuple[str, ...]:
    """Cut what has no white space in it."""
    return (run,) if len(run) > LONGEST else tuple(word.text for word in _tokenizer()(run))


def _together(text: str) -> list[tuple[str, int]]:
    """Cut a text as a whole; see `tokenize_with_offsets`."""
    words: list[tuple[str, int]] = []
    start = 0
    for piece in _LONG.split(text):
        if len(piece) > LONGEST and _LONG.fullmatch(piece):
            words.append((piece, start))
        else:
            tokens = _tokenizer()(piece)
            words += [(token.text, start + token.idx) for token in tokens if not token.is_space]
        start += len(piece)
    return words
