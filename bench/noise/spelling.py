"""One word spelled otherwise: from a word and a generator of random numbers to another word.

A new word is never empty and gains no white space. A word to which a change does not apply (there
is no letter in it, or one too few) stays as it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from itertools import pairwise
from random import Random

Change = Callable[[str, Random], str]

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

CONFUSIONS = (
    *(("rn", "m"), ("m", "rn"), ("cl", "d"), ("d", "cl"), ("vv", "w"), ("w", "vv"), ("ri", "n")),
    *(("li", "h"), ("h", "b"), ("b", "h"), ("e", "c"), ("c", "e"), ("u", "n"), ("n", "u")),
    *(("l", "1"), ("1", "l"), ("I", "l"), ("l", "I"), ("i", "l"), ("O", "0"), ("0", "O")),
    *(("o", "0"), ("S", "5"), ("5", "S"), ("B", "8"), ("8", "B"), ("Z", "2"), ("2", "Z")),
)
"""What character recognition takes for what, letters or pairs of them that look alike."""


def _neighbours() -> dict[str, str]:
    """Return the letters beside, above and below each letter of an English keyboard."""
    near: dict[str, str] = {letter: "" for row in ROWS for letter in row}
    for row in ROWS:
        for left, right in pairwise(row):
            near[left] += right
            near[right] += left
    for upper, lower in pairwise(ROWS):
        for i, letter in enumerate(lower):
            for other in upper[i : i + 2]:
                near[letter] += other
                near[other] += letter
    return near


NEIGHBOURS = _neighbours()


def keyboard(word: str, drawn: Random) -> str:
    """Hit the key beside the right one.

    >>> keyboard("letter", Random(1))
    'lwtter'
    """
    places = [i for i, letter in enumerate(word) if letter.lower() in NEIGHBOURS]
    if not places:
        return word
    i = drawn.choice(places)
    new = drawn.choice(NEIGHBOURS[word[i].lower()])
    return word[:i] + (new.upper() if word[i].isupper() else new) + word[i + 1 :]


def swap(word: str, drawn: Random) -> str:
    """Hit two keys in the wrong order.

    >>> swap("letter", Random(1))
    'lteter'
    """
    places = [i for i, (a, b) in enumerate(pairwise(word)) if a != b and (a + b).isalpha()]
    if not places:
        return word
    i = drawn.choice(places)
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def drop(word: str, drawn: Random) -> str:
    """Miss a key; a word of one character stays.

    >>> drop("letter", Random(1))
    'ltter'
    """
    places = [i for i, letter in enumerate(word) if letter.isalpha()]
    if not places or len(word) < 2:
        return word
    i = drawn.choice(places)
    return word[:i] + word[i + 1 :]


def repeat(word: str, drawn: Random) -> str:
    """Hit a key twice.

    >>> repeat("letter", Random(1))
    'leetter'
    """
    places = [i for i, letter in enumerate(word) if letter.isalpha()]
    if not places:
        return word
    i = drawn.choice(places)
    return word[: i + 1] + word[i:]


def typo(word: str, drawn: Random) -> str:
    """Make one of the four mistakes of a typist, each as often as the others."""
    return drawn.choice((keyboard, swap, drop, repeat))(word, drawn)


def ocr(word: str, drawn: Random) -> str:
    """Take one letter, or two, for another that looks like it.

    >>> ocr("barn", Random(1))
    'bam'
    """
    found = [
        (i, old, new)
        for old, new in CONFUSIONS
        for i in range(len(word))
        if word.startswith(old, i)
    ]
    if not found:
        return word
    i, old, new = drawn.choice(found)
    return word[:i] + new + word[i + len(old) :]


def case(word: str, drawn: Random) -> str:
    """Write a word in small letters, in capitals, or with the other case of its first letter.

    >>> sorted({case("Oslo", Random(seed)) for seed in range(9)})
    ['OSLO', 'oslo']
    """
    forms = {word.lower(), word.upper(), word[:1].swapcase() + word[1:]} - {word}
    return drawn.choice(sorted(forms)) if forms else word


def punctuation(word: str, drawn: Random) -> str:
    """Leave out the punctuation marks of a word that has letters or digits, too.

    A mark that is a word of its own stays: without it, what points at words would point elsewhere.

    >>> punctuation("U.S.-based", Random(1)), punctuation("...", Random(1))
    ('USbased', '...')
    """
    bare = "".join(c for c in word if not unicodedata.category(c).startswith("P"))
    return bare if any(c.isalnum() for c in bare) else word


KINDS: Mapping[str, Change] = {
    "typos": typo,
    "keyboard": keyboard,
    "swap": swap,
    "drop": drop,
    "repeat": repeat,
    "ocr": ocr,
    "case": case,
    "punctuation": punctuation,
}
"""The changes by name; `typos` is a mixture of the four after it."""
