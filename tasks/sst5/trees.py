"""Trees with a sentiment at every node, one a line: (3 (2 A) (3 (3 good) (2 film)))."""

from __future__ import annotations

import re
from typing import NamedTuple

from tasks.formats.treebank import unescape

# Only these are blanks: some words of the treebank hold a no-break space ("2 1/2").
PIECE = re.compile(r"[()]|[^ \t\r\n()]+")
LONGEST = 1000  # words; the treebank has 56 at most, and every constituent is a copy of its words
DIGITS = {str(value): value for value in range(5)}


class Constituent(NamedTuple):
    """The words `start` to `end` (half-open) and what they are like together, 0 to 4."""

    sentiment: int
    start: int
    end: int


def parse(line: str) -> tuple[list[str], list[Constituent]]:
    """Read a tree's words and its constituents, in the order in which they open: the whole first.

    Raises:
        ValueError: the line is no tree; the message says what is wrong.
    """
    words: list[str] = []
    opened: list[tuple[int, int, int]] = []  # place in `found`, sentiment, start
    found: list[Constituent | None] = []
    leaf = False  # a word was read, its bracket not yet closed
    pieces = iter(PIECE.findall(line))
    for piece in pieces:
        if found and not opened:
            raise ValueError(f"{piece!r} after the end of the tree")
        if piece == "(":
            sentiment = next(pieces, "")
            if leaf or sentiment not in DIGITS:
                raise ValueError(f"'({sentiment}' after {words[-3:]}: expected '(' and 0 to 4")
            opened.append((len(found), DIGITS[sentiment], len(words)))
            found.append(None)
        elif piece == ")" and opened and opened[-1][2] < len(words):
            place, value, start = opened.pop()
            found[place] = Constituent(value, start, len(words))
            leaf = False
        elif piece != ")" and piece.strip() and opened and opened[-1][2] == len(words):
            words.append(unescape(piece))
            leaf = True
        else:
            raise ValueError(f"{piece!r} after {words[-3:]}: expected a bracket or a label")
    if len(words) > LONGEST:
        raise ValueError(f"a sentence of {len(words)} words: {LONGEST} are the most")
    if opened or not words:
        raise ValueError(f"{len(opened)} brackets are not closed" if opened else "no tree")
    return words, [constituent for constituent in found if constituent]
