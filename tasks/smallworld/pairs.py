"""Candidate sentence pairs: an event retold, and a statement that an edit made of the retelling."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tasks.smallworld import edits
from tasks.smallworld.claims import SOME, Claim, Phrase, judge
from tasks.smallworld.document import Sentence
from tasks.smallworld.language import sentence
from tasks.smallworld.lexicon import TAXONOMIES, Lexicon

TRIES = 12  # candidates per event
WEIGHTS = {"swap": 2, "other_noun": 3, "count": 2, "antonym": 4, "hyponym": 2}  # else 1
_FRUIT = {"fruit", *TAXONOMIES["thing"].branches["fruit"]}  # nobody repairs a pear
_SECOND = (edits.add, edits.drop, edits.other_noun, edits.other_verb, edits.hyponym, edits.swap)


@dataclass(frozen=True)
class Pair:
    caption: str  # the story and the number of the sentence it comes from
    premise: Sentence
    hypothesis: Sentence
    phenomenon: str
    label: str


def candidates(caption: str, event: Claim, lexicon: Lexicon, rng: random.Random) -> Iterator[Pair]:
    """Make pairs whose premise retells the event, labelled by what the two claims mean."""
    for _ in range(TRIES):
        names = list(edits.PHENOMENA)
        phenomenon = rng.choices(names, [WEIGHTS.get(name, 1) for name in names])[0]
        premise = _retell(event, lexicon, rng, vague=1.0 if phenomenon == "hyponym" else 0.15)
        hypothesis = _edit(premise, phenomenon, lexicon, rng)
        if hypothesis is None or not (_sayable(premise) and _sayable(hypothesis)):
            continue
        label = judge(premise, hypothesis)
        said, asked = sentence(premise), sentence(hypothesis)
        if label and said.tokens != asked.tokens:
            yield Pair(caption, said, asked, phenomenon, label)


def _retell(event: Claim, lexicon: Lexicon, rng: random.Random, vague: float) -> Claim:
    """Tell the event to somebody who knows nothing of the story, with some of the details."""
    shares = {"venue": 0.35, "town": 0.15, "day": 0.35}
    roles = {
        r: _describe(p, rng) for r, p in event.roles.items() if rng.random() < shares.get(r, 1)
    }
    claim = replace(event, roles=roles)
    if rng.random() < vague:
        claim = edits.hypernym(claim, rng, lexicon) or claim
    return _restyle(claim, rng, 0.2)


def _describe(phrase: Phrase, rng: random.Random) -> Phrase:
    """Use a name, a description, or (seldom) both."""
    if rng.random() < 0.5:
        phrase = replace(phrase, adjective="")
    if phrase.count > 1 and rng.random() < 0.3:
        phrase = replace(phrase, count=SOME)
    if phrase.kind == "person" and phrase.name:
        style = rng.random()
        if style < 0.7:
            return replace(phrase, name="")
        if style < 0.9:
            return replace(phrase, noun="person", adjective="")
    return phrase


def _edit(premise: Claim, phenomenon: str, lexicon: Lexicon, rng: random.Random) -> Claim | None:
    """Make the edit, and around it changes of form, of detail and of polarity."""
    claim = _plain(premise, rng)
    if rng.random() < 0.15:
        claim = edits.drop(claim, rng, lexicon) or claim
    edited = edits.PHENOMENA[phenomenon](claim, rng, lexicon)
    if edited is None:
        return None
    claim = edited
    if phenomenon in ("synonym", "passive", "negation") and rng.random() < 0.35:
        claim = rng.choice(_SECOND)(claim, rng, lexicon) or claim
    elif rng.random() < 0.1:
        claim = edits.synonym(claim, rng, lexicon) or claim
    if phenomenon != "negation" and rng.random() < 0.1:
        claim = edits.negation(claim, rng, lexicon) or claim
    style = 0.0 if phenomenon == "passive" else 0.2
    return _restyle(claim, rng, style)


def _plain(claim: Claim, rng: random.Random) -> Claim:
    """Leave half of those who have a name and a description only one of them."""
    for role, phrase in claim.roles.items():
        top = TAXONOMIES[phrase.kind].top
        if phrase.kind == "person" and phrase.name and phrase.noun != top and rng.random() < 0.8:
            keep_name = rng.random() < 0.5
            bare = replace(phrase, noun=top, adjective="")
            claim = claim.put(role, bare if keep_name else replace(phrase, name=""))
    return claim


def _restyle(claim: Claim, rng: random.Random, share: float) -> Claim:
    """Choose another word order for the same content."""
    active_needs = claim.verb.subject not in claim.roles
    passive = claim.passive or active_needs
    if rng.random() < share and claim.verb.passive and not active_needs:
        passive = not passive
    return replace(
        claim,
        passive=passive,
        dative=claim.verb.dative and not passive and rng.random() < 0.5,
        fronted=not claim.negated and rng.random() < 0.2,
    )


def _sayable(claim: Claim) -> bool:
    """Return whether the claim makes an English sentence with one clear reading."""
    verb, subject = claim.verb, claim.roles.get(claim.subject)
    if subject is None or (claim.passive and not verb.passive):
        return False
    thing = claim.roles.get("thing")
    if verb.meaning.frame == "craft" and thing and thing.noun in _FRUIT:
        return False
    counted = [p for r, p in claim.roles.items() if p.count != 1 and r != claim.subject]
    return not (claim.negated and counted)  # "did not buy two hats": none, or one?
