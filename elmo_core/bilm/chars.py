"""Words → character ids, exactly as the published models expect them.

A character is a UTF-8 byte; five ids above the bytes mark boundaries and padding. All ids are
shifted by one at the end, which leaves 0 for masked tokens (`bilm/data.py` of the original).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elmo_core.encoder import check_sentences

BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = range(256, 261)
CHARACTERS = 261
"""Different ids before the shift: the rows of the published character embedding."""
WIDTH = 50
"""Positions in a word, its two boundaries included."""


def word_ids(word: str, width: int = WIDTH) -> list[int]:
    """Return the `width` ids of a word; bytes beyond `width - 2` are cut off.

    A long word may be cut inside a character, as in the original. Lone surrogates, which strict
    UTF-8 refuses, get the three bytes that the scheme has for their number. `<S>` and `</S>` are
    spelled like other words: in a text they are no boundaries (the original takes them for such).
    """
    return _frame(word.encode("utf-8", "surrogatepass")[: width - 2], width)


def boundary_ids(width: int = WIDTH) -> tuple[list[int], list[int]]:
    """Return the ids of the two words, `<S>` and `</S>`, that surround every sentence."""
    return _frame([BEGIN_SENTENCE], width), _frame([END_SENTENCE], width)


def _frame(inner: Sequence[int], width: int) -> list[int]:
    framed = [BEGIN_WORD, *inner, END_WORD]
    return [i + 1 for i in framed + [PADDING] * (width - len(framed))]


def sentence_ids(sentences: Sequence[Sequence[str]], width: int = WIDTH) -> Tensor:
    """Spell sentences: (batch, longest + 2, width) int64, with boundaries, masked tokens all 0."""
    check_sentences(sentences)
    begin, end = boundary_ids(width)
    rows = [[begin, *(word_ids(word, width) for word in words), end] for words in sentences]
    longest = max(map(len, rows), default=0)
    ids = torch.zeros(len(rows), longest, width, dtype=torch.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
    return ids
