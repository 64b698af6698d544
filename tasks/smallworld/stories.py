"""Stories: what happens to a small cast over a few days, told with names, nouns and pronouns."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tasks.smallworld.claims import DETAILS, Claim, Phrase
from tasks.smallworld.document import Document, Sentence
from tasks.smallworld.language import sentence
from tasks.smallworld.lexicon import TAXONOMIES
from tasks.smallworld.world import World


@dataclass(frozen=True)
class Story:
    """A document, and the claim behind each of its sentences with nothing left out."""

    document: Document
    claims: tuple[Claim, ...]


def tell(world: World, number: int) -> Story:
    """Tell one story of four to seven events."""
    rng = world.rng
    cast, narrator = world.cast(), Narrator(rng)
    day = world.noun("day")
    claims: list[Claim] = []
    sentences: list[Sentence] = []
    length = rng.randint(4, 7)
    while len(claims) < length:
        if rng.random() < 0.3:
            day = world.noun("day")
        event = world.event(cast, day)
        if any(event.verb.meaning == claim.verb.meaning for claim in claims):
            continue  # a story that repeats itself could contradict itself
        claims.append(event)
        sentences.append(narrator.say(event))
    return Story(Document(f"{world.prefix}{number:04d}", tuple(sentences)), tuple(claims))


@dataclass(frozen=True)
class Style:
    """How a story is told: how often what could be said in another way is said in this one."""

    brevity: float = 0.6  # a place or a day is left out
    pronouns: float = 0.6  # what is clear from the last sentence is a pronoun
    variation: float = 0.0  # what is known is called by another noun: "the town" for Geneva


PLAIN = Style()


def retell(story: Story, style: Style, rng: random.Random) -> Document:
    """Tell the events of a story again, in another style."""
    narrator = Narrator(rng, style)
    return Document(story.document.id, tuple(narrator.say(claim) for claim in story.claims))


class Narrator:
    """Someone who tells events one after the other and remembers who has been mentioned."""

    def __init__(self, rng: random.Random, style: Style = PLAIN) -> None:
        self.rng, self.style = rng, style
        self.known: dict[str, Phrase] = {}
        self.last: list[Phrase] = []  # what the last sentence mentioned, its subject first

    def say(self, claim: Claim) -> Sentence:
        shown = self.voice(self.thin(claim))
        told = self.known | {p.entity: p for p in shown.roles.values()}
        roles = {role: self.refer(phrase, told) for role, phrase in shown.roles.items()}
        subject = shown.roles[shown.subject]
        self.last = [subject, *(p for p in shown.roles.values() if p != subject)]
        self.known = told
        return sentence(replace(shown, roles=roles))

    def thin(self, claim: Claim) -> Claim:
        """Leave some of the claim's details out."""
        for role in DETAILS:
            if self.rng.random() < self.style.brevity:
                claim = claim.put(role, None)
        return claim

    def voice(self, claim: Claim) -> Claim:
        passive = claim.verb.passive and self.rng.random() < 0.3
        dative = claim.verb.dative and not passive and self.rng.random() < 0.5
        fronted = not claim.negated and self.rng.random() < 0.4
        return replace(claim, passive=passive, dative=dative, fronted=fronted)

    def refer(self, phrase: Phrase, told: Mapping[str, Phrase]) -> Phrase:
        """Choose the words by which a reader who followed the story knows what is meant."""
        if phrase.kind not in ("person", "thing", "body", "town"):
            return phrase
        if phrase.entity not in self.known:
            return phrase
        clear = phrase.kind != "town" and self.is_clear(phrase)
        if clear and self.rng.random() < self.style.pronouns:
            return replace(phrase, form="pronoun")
        noun = self.other_noun(phrase, told)
        if noun:
            return replace(phrase, noun=noun, name="", adjective="", form="known")
        if phrase.kind == "town":
            return phrase
        if phrase.name and (phrase.kind == "body" or self.rng.random() < 0.5):
            short = phrase.name if phrase.kind == "body" else self.rng.choice(phrase.name.split())
            return replace(phrase, name=short, noun=TAXONOMIES[phrase.kind].top or phrase.noun)
        return replace(phrase, name="", adjective="", form="known")

    def is_clear(self, phrase: Phrase) -> bool:
        """Return whether the last sentence has told of it, and of nothing with its pronoun."""
        alike = {p.entity for p in self.last if p.pronoun == phrase.pronoun}
        return alike == {phrase.entity}

    def other_noun(self, phrase: Phrase, told: Mapping[str, Phrase]) -> str:
        """Choose another noun, if at all, that fits it alone of what the story has told of."""
        if not self.style.variation or self.rng.random() >= self.style.variation:
            return ""
        rivals = [p for p in told.values() if p.entity != phrase.entity]
        rivals = [p for p in rivals if (p.count == 1) == (phrase.count == 1)]
        taken = {noun for p in rivals for noun in (p.noun, *other_nouns(p))}
        nouns = [noun for noun in other_nouns(phrase) if noun not in taken]
        return self.rng.choice(nouns) if nouns else ""


def other_nouns(phrase: Phrase) -> list[str]:
    """Return the nouns that fit an entity and say less than its own does."""
    tree = TAXONOMIES[phrase.kind]
    if phrase.kind == "town":
        return [tree.top]
    wider = [n for n in tree.above(phrase.noun) if n in tree.branches and n != "adult"]
    sex = {"she": "woman", "he": "man"}.get(phrase.pronoun)
    return [*wider, sex] if sex and sex != phrase.noun else wider
