"""Stories: what happens to a small cast over a few days, told with names, nouns and pronouns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tasks.smallworld.claims import Claim, Phrase
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
    cast, narrator = world.cast(), Narrator(world)
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


class Narrator:
    """Someone who tells events one after the other and remembers who has been mentioned."""

    def __init__(self, world: World) -> None:
        self.rng = world.rng
        self.known: dict[str, Phrase] = {}
        self.last: list[Phrase] = []  # what the last sentence mentioned, its subject first

    def say(self, claim: Claim) -> Sentence:
        shown = self.voice(self.thin(claim))
        roles = {role: self.refer(phrase) for role, phrase in shown.roles.items()}
        subject = shown.roles[shown.subject]
        self.last = [subject, *(p for p in shown.roles.values() if p != subject)]
        self.known.update({p.entity: p for p in shown.roles.values()})
        return sentence(replace(shown, roles=roles))

    def thin(self, claim: Claim) -> Claim:
        """Leave some of the claim's details out."""
        for role in ("venue", "town", "day"):
            if self.rng.random() < 0.6:
                claim = claim.put(role, None)
        return claim

    def voice(self, claim: Claim) -> Claim:
        passive = claim.verb.passive and self.rng.random() < 0.3
        dative = claim.verb.dative and not passive and self.rng.random() < 0.5
        fronted = not claim.negated and self.rng.random() < 0.4
        return replace(claim, passive=passive, dative=dative, fronted=fronted)

    def refer(self, phrase: Phrase) -> Phrase:
        """Choose the words by which a reader who followed the story knows what is meant."""
        if phrase.kind not in ("person", "thing", "body"):
            return phrase
        if phrase.entity not in self.known:
            return phrase
        rivals = [p for p in self.last if p.pronoun == phrase.pronoun and p.entity != phrase.entity]
        recent = any(p.entity == phrase.entity for p in self.last)
        if recent and not rivals and self.rng.random() < 0.6:
            return replace(phrase, form="pronoun")
        if phrase.name and (phrase.kind == "body" or self.rng.random() < 0.5):
            short = phrase.name if phrase.kind == "body" else self.rng.choice(phrase.name.split())
            return replace(phrase, name=short, noun=TAXONOMIES[phrase.kind].top or phrase.noun)
        return replace(phrase, name="", adjective="", form="known")
