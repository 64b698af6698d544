"""Proper names in the official CoNLL-2003 format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tasks.formats.tags import IOB1, Span, from_spans
from tasks.smallworld.document import Sentence
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story

FILES = {"train": "eng.train", "dev": "eng.testa", "test": "eng.testb"}
KINDS = {"person": "PER", "town": "LOC", "body": "ORG"}
UNTOLD = "-X-"  # the columns for part of speech and phrase, which no reader of names needs


def write(folder: Path, parts: Parts) -> None:
    """Write one file a split: token, two empty columns, tag in IOB1; a blank line ends a
    sentence."""
    for split, name in FILES.items():
        with open(folder / name, "w", encoding="utf-8", newline="\n") as file:
            for story in parts[split][0]:
                file.writelines(_lines(story))


def _lines(story: Story) -> Iterator[str]:
    yield f"-DOCSTART- {UNTOLD} {UNTOLD} O\n\n"
    for sentence in story.document.sentences:
        tags = from_spans(names(sentence), len(sentence.tokens), IOB1)
        for token, tag in zip(sentence.tokens, tags, strict=True):
            yield f"{token} {UNTOLD} {UNTOLD} {tag}\n"
        yield "\n"


def names(sentence: Sentence) -> list[Span]:
    """Find the proper names alone: "Anna Berg" of "Anna Berg, a singer"."""
    named = (mention for mention in sentence.mentions if mention.named)
    return [(mention.start, mention.name_end, KINDS[mention.kind]) for mention in named]
