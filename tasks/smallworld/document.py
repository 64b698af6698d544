"""Annotated text: what every writer of a task's files starts from.

Spans are half-open token ranges. Every mention names its entity, every argument its role, so
entities, semantic roles, coreference and answers to questions can all be read off.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mention:
    start: int
    end: int
    entity: str  # the same id wherever the same one is meant, throughout a document
    kind: str  # person, thing, body, venue, town, day
    named: bool  # a proper name, possibly with an apposition
    name_end: int  # where the proper name ends; equals `start` when there is none


@dataclass(frozen=True)
class Argument:
    start: int
    end: int
    role: str  # PropBank's names: ARG0, ARG1, ARG2, ARGM-TMP, ARGM-LOC, ARGM-NEG, …


@dataclass(frozen=True)
class Predication:
    position: int  # of the predicate's token
    lemma: str
    meaning: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Sentence:
    tokens: tuple[str, ...]
    mentions: tuple[Mention, ...]
    predications: tuple[Predication, ...]

    @property
    def text(self) -> str:
        return detokenise(self.tokens)


@dataclass(frozen=True)
class Document:
    id: str
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)


def detokenise(tokens: tuple[str, ...]) -> str:
    """Spell tokens as text: no blank before a comma or a full stop."""
    text = " ".join(tokens)
    return text.replace(" ,", ",").replace(" .", ".")
