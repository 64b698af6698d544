"""Which sentences of a small collection stand in a large text, word for word or nearly.

Thirteen words in a row, or all of a sentence of 8 to 12 words, as in the audit of GPT-3's text
(Brown et al. 2020, appendix C, whose N lies between 8 and 13). Nearly the same is what contains
half of a sentence's runs of five words: the containment of Broder 1997, section 2, counted exactly.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

RUN = 13
"""Words in a row that are a leak."""
SHORTEST = 8
"""Words of the shortest sentence that is looked for; below RUN, it must stand there whole."""
SHINGLE = 5
"""Words in a row that are looked up."""
NEAR = 0.5
"""The share of a sentence's shingles that makes a near-duplicate: about one new word in eleven."""

KINDS = ("run", "near", "short")
"""What can be found of a sentence, the worst first."""

_BRACKETS = re.compile("-[lr][rsc]b-")  # as the Penn Treebank writes them


class _Letters(dict[int, str | None]):
    """Tells `str.translate` what stays: letters, digits and marks; all else parts words.

    Han characters and kana, which are written without spaces, are a word each; formatting
    characters, such as a soft hyphen, vanish.
    """

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        category = unicodedata.category(character)
        kept = character if category[0] in "LNM" else None if category == "Cf" else " "
        if 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF:
            kept = f" {character} "
        self[code] = kept
        return kept


_LETTERS = _Letters()


def normalised(text: str) -> list[str]:
    """Return the words of a text, the same however it is cased, punctuated and tokenised.

    >>> normalised("It's the U.S.—I don't think so")
    ['it', 's', 'the', 'u', 's', 'i', 'do', 'nt', 'think', 'so']
    >>> normalised("it 's the U.S. -- I do n't think so")
    ['it', 's', 'the', 'u', 's', 'i', 'do', 'nt', 'think', 'so']
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = text.replace("’", "'").replace("n't", " nt")
    if "b-" in text:
        text = _BRACKETS.sub(" ", text)
    return text.translate(_LETTERS).split()


class Match(NamedTuple):
    """A sentence of the collection, and where in the text it was found.

    `kind` is "run" (thirteen words or more in a row), "near" or "short" (a whole sentence of fewer
    words); `words` are those in a row, or of the sentence that is nearly there; `share` is the
    part of the sentence's shingles that was found; `first` and `last` are words of the text.
    """

    kind: str
    sentence: int
    words: int
    share: float
    first: int
    last: int


class Collection:
    """Holds distinct sentences, the small side, and finds them by their runs of five words.

    It takes some 250 bytes a word.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, ...], int] = {}
        self._words: list[str] = []  # of all sentences, one after the other
        self._owners = array("L")  # of each of these words
        self._lengths: list[int] = []
        self._places: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, sentence: Sequence[str]) -> int | None:
        """Return the number of a sentence (normalised words), None if it is too short."""
        if len(sentence) < SHORTEST:
            return None
        known = self._numbers.setdefault(tuple(sentence), len(self._numbers))
        if known == len(self._lengths):
            start = len(self._words)
            for offset, key in enumerate(_shingles(sentence)):
                self._places[key].append(start + offset)
            self._words += sentence
            self._owners.extend([known] * len(sentence))
            self._lengths.append(len(sentence))
        return known

    def matches(self, text: Sequence[str]) -> Iterator[Match]:
        """Yield what of the sentences stands in `text` (normalised words)."""
        places, owners = self._places, self._owners
        hits: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for i in [i for i, key in enumerate(_shingles(text)) if key in places]:
            for place in places[hash(tuple(text[i : i + SHINGLE]))]:
                hits[owners[place]].append((i, place))
        for sentence, pairs in hits.items():
            length = self._lengths[sentence]
            if len(pairs) >= _fewest(length):
                runs = list(self._runs(sentence, pairs, text))
                yield from runs or (_near(sentence, length, pairs) if length >= RUN else ())

    def _runs(
        self, sentence: int, pairs: list[tuple[int, int]], text: Sequence[str]
    ) -> Iterator[Match]:
        """Yield the words in a row that are the same on both sides, if they are enough."""
        length = self._lengths[sentence]
        aligned = sorted((place - i, i) for i, place in pairs)
        for _, group in groupby(
            enumerate(aligned), lambda item: (item[1][0], item[1][1] - item[0])
        ):
            run = [pair for _, pair in group]
            (shift, first), words = run[0], len(run) + SHINGLE - 1
            start = first + shift
            same = text[first : first + words] == self._words[start : start + words]
            if words >= min(RUN, length) and same:  # unless a hash value met another by chance
                share = len(run) / (length - SHINGLE + 1)
                kind = "run" if words >= RUN else "short"
                yield Match(kind, sentence, words, share, first, first + words - 1)


def _shingles(words: Sequence[str]) -> Iterator[int]:
    return map(hash, zip(*(words[k:] for k in range(SHINGLE)), strict=False))


def _fewest(length: int) -> int:
    """Return how many shingles must meet before a sentence of this length can be found."""
    if length < RUN:
        return length - SHINGLE + 1
    return min(RUN - SHINGLE + 1, _enough(length))


def _enough(length: int) -> int:
    """Return how many shingles make a near-duplicate: half of them, rounded up."""
    return math.ceil(NEAR * (length - SHINGLE + 1))


def _near(sentence: int, length: int, pairs: list[tuple[int, int]]) -> Iterator[Match]:
    """Yield stretches, at most twice as long as the sentence, with enough of its shingles."""
    begin = 0
    while begin < len(pairs):
        first = pairs[begin][0]
        end = begin
        while end < len(pairs) and pairs[end][0] + SHINGLE <= first + 2 * length:
            end += 1
        found = len({place for _, place in pairs[begin:end]})
        if found >= _enough(length):
            share = found / (length - SHINGLE + 1)
            last = pairs[end - 1][0] + SHINGLE - 1
            yield Match("near", sentence, length, share, first, last)
            begin = end
        else:
            begin += 1
