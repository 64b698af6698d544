"""How the Penn Treebank, and what follows it, writes words."""

from __future__ import annotations

# What would clash with its own signs, or be ambiguous.
ESCAPED = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}


def unescape(word: str) -> str:
    r"""Write a word as outside a treebank: -LRB- is (, \/ is /, `` and '' are ".

    >>> unescape("-LRB-")
    '('
    """
    return ESCAPED.get(word.upper()) or word.replace("\\", "") or word
