"""What the words mean: predicates, trees of nouns, groups of adjectives."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tasks.smallworld import words


@dataclass(frozen=True)
class Meaning:
    """The sense of a predicate, whichever verb says it."""

    name: str
    frame: str
    swap: str  # "mutual", "oneway" or ""
    above: str  # the wider meaning it implies
    against: str  # the meaning that rules it out
    opposite: bool  # and one of the two always holds
    bodies: bool  # organisations do it, too


@dataclass(frozen=True)
class Verb:
    """A verb, or the adjective of a state, with the roles of its subject and its objects."""

    base: str
    past: str
    participle: str
    meaning: Meaning
    subject: str
    object: str = ""
    oblique: str = ""
    preposition: str = ""
    dative: bool = False  # "lent Ann a car" beside "lent a car to Ann"

    @property
    def passive(self) -> bool:
        return bool(self.object) and self.base not in words.NO_PASSIVE


@dataclass(frozen=True)
class Taxonomy:
    """A tree of nouns; no two nouns below `apart` branches fit the same thing."""

    branches: dict[str, tuple[str, ...]]
    apart: frozenset[str] = frozenset()
    top: str = ""

    @cached_property
    def parent(self) -> dict[str, str]:
        tops = dict.fromkeys(self.branches, self.top) if self.top else {}
        return tops | {leaf: branch for branch, leaves in self.branches.items() for leaf in leaves}

    @cached_property
    def nouns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.branches, *self.parent)))

    def above(self, noun: str) -> tuple[str, ...]:
        if noun not in self.parent:
            return ()
        return (self.parent[noun], *self.above(self.parent[noun]))

    def exclude(self, a: str, b: str) -> bool:
        """Return whether neither noun is above the other, and nothing can be both."""
        nested = a == b or a in self.above(b) or b in self.above(a)
        return not nested and all({noun, *self.above(noun)} & self.apart for noun in (a, b))


_ROLES = {  # of the subject and the object; a transfer's depend on the verb
    "craft": ("agent", "thing"),
    "handle": ("agent", "thing"),
    "contact": ("agent", "patient"),
    "regard": ("agent", "topic"),
    "member": ("agent", "body"),
    "solo": ("agent", ""),
    "state": ("agent", ""),
}
_SIDES = {"to": ("giver", "receiver"), "from": ("receiver", "giver")}


def _plain(word: str) -> str:
    return word.lstrip("*")


def _verbs() -> Iterator[Verb]:
    for line in words.PREDICATES.strip().splitlines():
        head, forms = line.split("|")
        name, frame, *marks = head.split()
        marked = dict(mark.split(":") for mark in marks if ":" in mark)
        swap = next((mark for mark in marks if mark in ("mutual", "oneway")), "")
        above, against = marked.get("above", ""), marked.get("against", "")
        flags = ("opposite" in marks, "bodies" in marks)
        meaning = Meaning(name, frame, swap, above, against, *flags)
        yield from (_verb(meaning, entry.split()) for entry in forms.split(","))


def _verb(meaning: Meaning, entry: list[str]) -> Verb:
    forms = [word for word in entry if word not in ("to", "from", "dative")]
    base, past = _plain(forms[0]), forms[min(1, len(forms) - 1)]
    participle = forms[2] if len(forms) > 2 else past
    if meaning.frame != "transfer":
        return Verb(base, _plain(past), _plain(participle), meaning, *_ROLES[meaning.frame])
    preposition = next(word for word in entry if word in _SIDES)
    subject, oblique = _SIDES[preposition]
    dative = "dative" in entry
    return Verb(base, past, participle, meaning, subject, "thing", oblique, preposition, dative)


def _tree(table: dict[str, str], apart: Sequence[str] = (), top: str = "") -> Taxonomy:
    branches = {b: tuple(_plain(word) for word in leaves.split()) for b, leaves in table.items()}
    return Taxonomy(branches, frozenset(apart or table), top)


def _starred() -> Iterator[str]:
    tables = (words.PEOPLE, words.THINGS, words.BODIES, words.VENUES, words.DAYS)
    qualities = " ".join(group for groups in words.QUALITIES.values() for group in groups)
    rows = [words.PREDICATES.replace(",", " "), qualities.replace("=", " ")]
    rows += [row for table in tables for row in table.values()]
    return (_plain(word) for row in rows for word in row.split() if word.startswith("*"))


VERBS = tuple(_verbs())
STATES = {verb.meaning.name for verb in VERBS if verb.meaning.frame == "state"}
TAXONOMIES = {
    "person": _tree(words.PEOPLE, apart=("adult", "child"), top="person"),
    "thing": _tree(words.THINGS),
    "body": _tree(words.BODIES),
    "venue": _tree(words.VENUES),
    "day": _tree(words.DAYS),
    "town": Taxonomy({}, top="town"),
}
# kind: groups of words that rule each other out, each word with its synonyms
QUALITIES = {
    kind: [[[_plain(w) for w in same.split("=")] for same in group.split()] for group in groups]
    for kind, groups in words.QUALITIES.items()
}
NOVEL = frozenset(_starred())  # the held-out words

Word = TypeVar("Word", str, Verb)


@dataclass(frozen=True)
class Lexicon:
    """The words that one part of the data may use; with `novelty` 0, none that is held out."""

    novelty: float  # how often a held-out word is preferred where there is one

    def choose(self, rng: random.Random, options: Sequence[Word]) -> Word | None:
        """Choose one of the words; None when there is none to be had."""
        novel: list[Word] = []
        known: list[Word] = []
        for word in options:
            (novel if _spelt(word) in NOVEL else known).append(word)
        if novel and rng.random() < self.novelty:
            return rng.choice(novel)
        return rng.choice(known) if known else None

    def quality(self, rng: random.Random, kind: str) -> str:
        """Choose an adjective for a person or a thing."""
        words = [word for same in rng.choice(QUALITIES[kind]) for word in same]
        return self.choose(rng, words) or words[0]


def _spelt(word: str | Verb) -> str:
    return word if isinstance(word, str) else word.base
