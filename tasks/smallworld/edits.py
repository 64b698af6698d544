"""Ways to turn a claim into another one: the phenomena that the sentence pairs are about.

An edit knows nothing of labels; `claims.judge` finds the label, so each edit can lead to any.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from tasks.smallworld.claims import (
    DETAILS,
    SOME,
    Claim,
    Phrase,
    compare_adjectives,
    compare_meanings,
    compare_nouns,
)
from tasks.smallworld.lexicon import QUALITIES, TAXONOMIES, VERBS, Lexicon, Verb
from tasks.smallworld.logic import APART, NARROWER, OPPOSITE, SAME, UNRELATED, WIDER, Relation

Edit = Callable[[Claim, random.Random, Lexicon], Claim | None]
_BY_FRAME: dict[str, list[Verb]] = {}
for _one in VERBS:
    _BY_FRAME.setdefault(_one.meaning.frame, []).append(_one)


def with_verb(claim: Claim, verb: Verb | None) -> Claim | None:
    """Tell the claim with another verb of the same frame."""
    if verb is None:
        return None
    return replace(
        claim,
        verb=verb,
        passive=claim.passive and verb.passive,
        dative=claim.dative and verb.dative,
    )


@cache
def _verbs_by_relation(here: Verb) -> dict[Relation, list[Verb]]:
    """Sort the other verbs of the frame by how their meaning stands to this one's."""
    found: dict[Relation, list[Verb]] = {}
    for verb in _BY_FRAME[here.meaning.frame]:
        if verb != here:
            found.setdefault(compare_meanings(here.meaning, verb.meaning), []).append(verb)
    return found


@cache
def _nouns_by_relation(kind: str, here: str) -> dict[Relation, list[str]]:
    """Sort the nouns of the kind, this one among them, by how they stand to it."""
    found: dict[Relation, list[str]] = {}
    for noun in TAXONOMIES[kind].nouns:
        found.setdefault(compare_nouns(kind, here, noun), []).append(noun)
    return found


def _verbs(claim: Claim, *wanted: Relation) -> list[Verb]:
    """List the other verbs of the frame whose meaning stands to the claim's as wanted."""
    found = _verbs_by_relation(claim.verb)
    return [verb for relation in wanted for verb in found.get(relation, [])]


def _renoun(claim: Claim, rng: random.Random, lexicon: Lexicon, wanted: Relation) -> Claim | None:
    """Exchange one described noun for another that stands to it as wanted."""
    roles = [role for role, phrase in claim.roles.items() if not phrase.name]
    if not roles:
        return None
    role = rng.choice(roles)
    phrase = claim.roles[role]
    nouns = _nouns_by_relation(phrase.kind, phrase.noun).get(wanted, [])
    noun = lexicon.choose(rng, nouns)
    return claim.put(role, replace(phrase, noun=noun)) if noun else None


def synonym(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    return with_verb(claim, lexicon.choose(rng, _verbs(claim, SAME)))


def passive(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    if not claim.verb.passive:
        return None
    return replace(claim, passive=not claim.passive, dative=False)


def hypernym(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    wider = _verbs(claim, NARROWER)
    if wider and rng.random() < 0.5:
        return with_verb(claim, lexicon.choose(rng, wider))
    return _renoun(claim, rng, lexicon, NARROWER)


def hyponym(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    narrower = _verbs(claim, WIDER)
    if narrower and rng.random() < 0.5:
        return with_verb(claim, lexicon.choose(rng, narrower))
    return _renoun(claim, rng, lexicon, WIDER)


def other_noun(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    """Say it of something else: ruled out (a pear for an apple) or not (a singer for a boxer)."""
    relation = APART if rng.random() < 0.7 else UNRELATED
    return _renoun(claim, rng, lexicon, relation)


def other_verb(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    """Say that something else happened: ruled out (lost for found) or not (hid for found)."""
    relations = [APART, OPPOSITE] if rng.random() < 0.6 else [UNRELATED]
    return with_verb(claim, lexicon.choose(rng, _verbs(claim, *relations)))


def antonym(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    """Take an adjective that the premise's rules out."""
    roles = [role for role, phrase in claim.roles.items() if phrase.adjective]
    if not roles:
        return None
    role = rng.choice(roles)
    phrase = claim.roles[role]
    words = [w for group in QUALITIES[phrase.kind] for same in group for w in same]
    words = [w for w in words if compare_adjectives(phrase.kind, phrase.adjective, w) == APART]
    return claim.put(role, replace(phrase, adjective=lexicon.choose(rng, words) or ""))


def count(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    roles = [role for role, phrase in claim.roles.items() if phrase.count != 1]
    if not roles:
        return None
    role = rng.choice(roles)
    phrase = claim.roles[role]
    counts = [n for n in (SOME, 2, 3, 4) if n != phrase.count]
    return claim.put(role, replace(phrase, count=rng.choice(counts)))


def add(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    """Add one adjective, day or place."""
    plain = [
        role
        for role, phrase in claim.roles.items()
        if phrase.kind in QUALITIES and not phrase.name and not phrase.adjective
    ]
    absent = [role for role in ("venue", "day") if role not in claim.roles]
    if not plain and not absent:
        return None
    role = rng.choice(plain + absent)
    if role in plain:
        phrase = claim.roles[role]
        return claim.put(role, replace(phrase, adjective=lexicon.quality(rng, phrase.kind)))
    nouns = TAXONOMIES[role].nouns
    noun = lexicon.choose(rng, nouns) or nouns[0]
    return claim.put(role, Phrase(role, role, noun))


def drop(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    """Leave out one adjective, day, place or other dispensable part."""
    loose = [r for r in (*DETAILS, claim.verb.oblique) if r in claim.roles]
    loose += [claim.verb.subject] if claim.passive and claim.verb.subject in claim.roles else []
    adorned = [role for role, phrase in claim.roles.items() if phrase.adjective]
    if not loose and not adorned:
        return None
    role = rng.choice(loose + adorned)
    return claim.put(role, None if role in loose else replace(claim.roles[role], adjective=""))


def swap(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    """Let the two people change places."""
    if not claim.people():
        return None
    one, other = claim.people()
    return claim.put(one, claim.roles[other]).put(other, claim.roles[one])


def negation(claim: Claim, rng: random.Random, lexicon: Lexicon) -> Claim | None:
    return replace(claim, negated=not claim.negated)


PHENOMENA: dict[str, Edit] = {
    edit.__name__: edit
    for edit in (
        synonym,
        passive,
        hypernym,
        hyponym,
        other_noun,
        other_verb,
        antonym,
        count,
        add,
        drop,
        swap,
        negation,
    )
}
