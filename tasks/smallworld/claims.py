"""A claim is what one sentence says: a predicate, who and what fill its roles, and its polarity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from tasks.smallworld import logic
from tasks.smallworld.lexicon import QUALITIES, TAXONOMIES, Meaning, Verb
from tasks.smallworld.logic import APART, NARROWER, OPPOSITE, SAME, UNRELATED, WIDER, Relation

SOME = 0  # a count: more than one, not said how many
DETAILS = ("venue", "town", "day")  # roles that any claim may have


@dataclass(frozen=True)
class Phrase:
    """A way to speak of one entity; the plain noun of a bare name is its taxonomy's top."""

    entity: str
    kind: str  # a key of TAXONOMIES
    noun: str
    name: str = ""
    adjective: str = ""
    count: int = 1
    pronoun: str = ""  # how the entity may be taken up again: she, he, it, they
    form: str = "new"  # new, known ("the singer"), pronoun


@dataclass(frozen=True)
class Claim:
    verb: Verb
    roles: dict[str, Phrase] = field(hash=False)
    negated: bool = False
    passive: bool = False
    dative: bool = False
    fronted: bool = False  # the day comes first

    @property
    def subject(self) -> str:
        return self.verb.object if self.passive else self.verb.subject

    def put(self, role: str, phrase: Phrase | None) -> Claim:
        """Return the claim with one role filled anew, or emptied."""
        roles = {r: p for r, p in self.roles.items() if r != role}
        return replace(self, roles=roles if phrase is None else {**roles, role: phrase})

    def people(self) -> list[str]:
        """Return the roles of the two people of a transfer or a contact, else an empty list."""
        pairs = (["giver", "receiver"], ["agent", "patient"])
        return next((pair for pair in pairs if self.roles.keys() >= {*pair}), [])


def compare_meanings(a: Meaning, b: Meaning) -> Relation:
    if a.name == b.name:
        return SAME
    if a.above == b.name:
        return NARROWER
    if b.above == a.name:
        return WIDER
    if a.against == b.name:
        return OPPOSITE if a.opposite else APART
    return UNRELATED


@cache
def compare_nouns(kind: str, a: str, b: str) -> Relation:
    tree = TAXONOMIES[kind]
    if a == b:
        return SAME
    if b in tree.above(a):
        return NARROWER
    if a in tree.above(b):
        return WIDER
    return APART if tree.exclude(a, b) else UNRELATED


@cache
def compare_adjectives(kind: str, a: str, b: str) -> Relation:
    if a == b:
        return SAME
    if not a or not b:
        return NARROWER if a else WIDER
    for group in QUALITIES[kind]:
        places = [[i for i, same in enumerate(group) if word in same] for word in (a, b)]
        if all(places):
            return SAME if places[0] == places[1] else APART
    return UNRELATED


def compare_counts(a: int, b: int) -> Relation:
    if a == b:
        return SAME
    if SOME in (a, b):
        return NARROWER if b == SOME else WIDER
    return APART


def compare_names(kind: str, a: str, b: str) -> Relation:
    if a == b:
        return SAME
    if not a or not b:
        return NARROWER if a else WIDER
    return APART if kind == "town" else UNRELATED


def compare_phrases(a: Phrase | None, b: Phrase | None) -> Relation | None:
    if a is None or b is None:
        return SAME if a is b else WIDER if a is None else NARROWER
    return logic.join(
        [
            compare_names(a.kind, a.name, b.name),
            compare_nouns(a.kind, a.noun, b.noun),
            compare_adjectives(a.kind, a.adjective, b.adjective),
            compare_counts(a.count, b.count),
        ]
    )


def judge(premise: Claim, hypothesis: Claim) -> str | None:
    """Return the label of the pair, or None when reasonable readers could disagree."""
    negations = (premise.negated, hypothesis.negated)
    meaning = compare_meanings(premise.verb.meaning, hypothesis.verb.meaning)
    roles = sorted({*premise.roles, *hypothesis.roles})
    parts = {r: compare_phrases(premise.roles.get(r), hypothesis.roles.get(r)) for r in roles}
    crossed = _crosswise(premise, hypothesis)
    if _all_forward(crossed.values()) and not _all_forward(parts[r] for r in crossed):
        parts.update(crossed)
        swap = {"mutual": SAME, "oneway": APART, "": UNRELATED}[premise.verb.meaning.swap]
        meaning = logic.join([meaning, swap]) or UNRELATED
    known = {role: part for role, part in parts.items() if part is not None}
    subjects = sorted({premise.subject, hypothesis.subject} & known.keys())
    if len(known) < len(parts):
        return None
    if len(subjects) > 1 and any(negations) and any(known[r] != SAME for r in subjects):
        return None  # the two negations reach over different parts
    subject = logic.join([known[r] for r in subjects])
    rest = logic.join([meaning, *(part for r, part in known.items() if r not in subjects)])
    return logic.label(subject, rest, negations) if subject and rest else None


def _crosswise(premise: Claim, hypothesis: Claim) -> dict[str, Relation | None]:
    """Compare each of the premise's two people with the other one's counterpart."""
    pair = premise.people()
    if not pair or hypothesis.people() != pair:
        return {}
    other = dict(zip(pair, reversed(pair), strict=True))
    return {r: compare_phrases(premise.roles[r], hypothesis.roles[other[r]]) for r in pair}


def _all_forward(relations: Iterable[Relation | None]) -> bool:
    """Return whether there are relations and every one is an implication."""
    found = list(relations)
    return bool(found) and all(r is not None and r.forward for r in found)
