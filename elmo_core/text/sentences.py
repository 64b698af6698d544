"""A text file → its sentences, as lists of words; one paragraph in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from elmo_core.text.files import read_lines, read_tokenised
from elmo_core.text.tokenizer import tokenize_with_offsets

FORMATS = ("auto", "raw", "tokenised")
PARAGRAPH = 100_000
"""Characters after which a paragraph is cut at the next line end: bounds the memory."""
ENDS = ".!?…।؟۔"
"""Marks that end a sentence: Europe's, Hindi's and its neighbours', Arabic's and Urdu's."""
_SAMPLE = 1 << 16
_FREE, _ATTACHED = re.compile(r"\s[,.;!?](?=\s)"), re.compile(r"\w[,.;!?](?=\s)")


def read_sentences(path: Path, form: str = "auto") -> Iterator[list[str]]:
    """Yield the sentences of a file, none of them empty.

    `form` is `raw` (paragraphs of running text, hard-wrapped or not, empty lines between),
    `tokenised` (one sentence a line, spaces between words), or `auto`, which looks.
    """
    if form == "auto":
        form = guess(path)
    if form == "tokenised":
        yield from read_tokenised([path])
    else:
        for paragraph in _paragraphs(read_lines(path)):
            yield from split_sentences(paragraph)


def guess(path: Path) -> str:
    """Say `tokenised` if most punctuation marks at the file's beginning stand alone, or `raw`."""
    sample, taken = [], 0
    for line in read_lines(path):
        sample.append(line)
        taken += len(line)
        if taken > _SAMPLE:
            break
    text = "\n".join(sample) + "\n"
    return "tokenised" if len(_FREE.findall(text)) > len(_ATTACHED.findall(text)) else "raw"


def split_sentences(paragraph: str) -> Iterator[list[str]]:
    """Split running text into sentences, words and punctuation apart.

    A sentence ends behind one of ENDS and whatever closing marks are attached to it, unless the
    next word begins in lower case: “Where?” said he. Abbreviations keep their full stop
    as part of the word, so they end nothing.
    """
    sentence: list[str] = []
    ended, end = False, 0
    for word, start in tokenize_with_offsets(paragraph):
        attached = start == end
        if ended and not attached and not word[0].islower():
            yield sentence
            sentence, ended = [], False
        sentence.append(word)
        closing = ended and attached and not word[0].isalnum()
        ended = closing or not word.strip(ENDS)
        end = start + len(word)
    if sentence:
        yield sentence


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Join lines up to the next empty one."""
    held: list[str] = []
    size = 0
    for line in lines:
        if line.strip() and size < PARAGRAPH:
            held.append(line)
            size += len(line)
        else:
            yield " ".join(held)
            held, size = [line], len(line)
    yield " ".join(held)
