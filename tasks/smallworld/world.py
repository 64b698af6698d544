"""The world: who lives there, who owns and joined what, and what happens from day to day."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tasks.smallworld import words
from tasks.smallworld.claims import Claim, Phrase
from tasks.smallworld.lexicon import TAXONOMIES, VERBS, Lexicon, Verb
from tasks.smallworld.names import Names

NEGATIVE = 0.2  # of what is told, the share that is told not to have happened


@dataclass
class Cast:
    """The people and things of one story, and how matters stand between them."""

    people: list[Phrase]
    things: list[Phrase]
    body: Phrase
    town: Phrase
    owner: dict[str, str] = field(default_factory=dict)  # thing: person
    married: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)

    @property
    def everybody(self) -> list[Phrase]:
        return [*self.people, self.body]

    def actors(self, verb: Verb) -> list[Phrase]:
        """Return who may do what the verb says."""
        return self.everybody if verb.meaning.bodies else self.people


class World:
    """The towns, people and things that one part of the data is about."""

    def __init__(self, prefix: str, names: Names, lexicon: Lexicon, rng: random.Random) -> None:
        self.prefix, self.names, self.lexicon, self.rng = prefix, names, lexicon, rng
        self.born = 0
        self.towns = [Phrase(f"{prefix}:{t}", "town", "town", t, pronoun="it") for t in names.towns]

    def fresh(self) -> str:
        """Make an entity id that was never given before."""
        self.born += 1
        return f"{self.prefix}:{self.born}"

    def noun(self, kind: str, *branches: str) -> str:
        """Choose a noun for a new entity, from any of the branches (all if none is said)."""
        tree = TAXONOMIES[kind]
        found = [n for branch in branches or tree.branches for n in tree.branches[branch]]
        return self.lexicon.choose(self.rng, found) or found[0]

    def quality(self, kind: str) -> str:
        return self.lexicon.quality(self.rng, kind)

    def person(self) -> Phrase:
        woman = self.rng.random() < 0.5
        first = self.rng.choice(self.names.women if woman else self.names.men)
        name = f"{first} {self.rng.choice(self.names.surnames)}"
        gendered = self.rng.random() < 0.3
        noun = ("woman" if woman else "man") if gendered else self.noun("person", *words.TRADES)
        adjective = self.quality("person") if self.rng.random() < 0.7 else ""
        return Phrase(self.fresh(), "person", noun, name, adjective, 1, "she" if woman else "he")

    def group(self) -> Phrase:
        """Make several unnamed people."""
        adjective = self.quality("person") if self.rng.random() < 0.4 else ""
        count = self.rng.choice((2, 3, 4))
        return Phrase(
            self.fresh(), "person", self.noun("person"), "", adjective, count, pronoun="they"
        )

    def thing(self) -> Phrase:
        count = 1 if self.rng.random() < 0.7 else self.rng.choice((2, 3, 4))
        adjective = self.quality("thing") if self.rng.random() < 0.7 else ""
        pronoun = "it" if count == 1 else "they"
        return Phrase(self.fresh(), "thing", self.noun("thing"), "", adjective, count, pronoun)

    def body(self) -> Phrase:
        noun = self.noun("body")
        name = f"{self.rng.choice(self.names.bodies)} {noun.title()}"
        if self.rng.random() < 0.5:
            name = self.rng.choice(self.names.brands)
        return Phrase(f"{self.prefix}:{name}", "body", noun, name, pronoun="it")

    def cast(self) -> Cast:
        people = [self.person(), self.person()]
        while people[1].noun == people[0].noun or _shares_name(*people):
            people[1] = self.person()
        if self.rng.random() < 0.35:
            people.append(self.group())
            while people[2].noun in (people[0].noun, people[1].noun):
                people[2] = self.group()
        things = [self.thing(), self.thing()]
        while things[0].noun == things[1].noun:
            things[1] = self.thing()
        cast = Cast(people, things, self.body(), self.rng.choice(self.towns))
        for thing in things:
            cast.owner[thing.entity] = self.rng.choice(cast.everybody).entity
        return cast

    def event(self, cast: Cast, day: str) -> Claim:
        """Let the next thing happen (or not), as the state of affairs permits."""
        while True:
            verb = self.lexicon.choose(self.rng, VERBS)
            if verb is None:
                raise ValueError("the lexicon has no verbs")
            roles = self.fill(cast, verb)
            negated = self.rng.random() < NEGATIVE
            if roles is None or (not negated and not _happens(cast, verb, roles)):
                continue
            details = {"town": cast.town, "day": Phrase(f"day:{day}", "day", day)}
            venue = self.noun("venue")
            details["venue"] = Phrase(f"{self.prefix}:{venue}", "venue", venue)
            return Claim(verb, {**roles, **details}, negated)

    def fill(self, cast: Cast, verb: Verb) -> dict[str, Phrase] | None:
        """Choose who and what takes part; None if the cast has nobody or nothing for it."""
        rng, frame, actors = self.rng, verb.meaning.frame, cast.actors(verb)
        one = rng.choice(actors)
        others = [other for other in actors if other != one]
        if frame in ("solo", "state"):
            return {"agent": one}
        if frame == "member":
            return {"agent": one, "body": cast.body}
        if frame == "regard":
            towns = [town for town in self.towns if town != cast.town]
            kinds = ([other for other in cast.everybody if other != one], towns)
            return {"agent": one, "topic": rng.choice(rng.choice(kinds))}
        if frame == "contact":
            other = rng.choice(others)
            couple = one.count == other.count == 1
            possible = couple or verb.meaning.name != "marry"
            return {"agent": one, "patient": other} if possible else None
        thing = rng.choice(cast.things)
        if frame == "transfer":
            return {"giver": one, "receiver": rng.choice(others), "thing": thing}
        if frame == "craft" and thing.noun in TAXONOMIES["thing"].branches["fruit"]:
            return None
        return {"agent": one, "thing": thing}


def _shares_name(a: Phrase, b: Phrase) -> bool:
    return bool({*a.name.split()} & {*b.name.split()})


def _happens(cast: Cast, verb: Verb, roles: dict[str, Phrase]) -> bool:
    """Change the state of affairs, or return False if the event is impossible in it."""
    name, agent = verb.meaning.name, roles.get("agent")
    if verb.meaning.frame == "transfer":
        if cast.owner[roles["thing"].entity] != roles["giver"].entity:
            return False
        cast.owner[roles["thing"].entity] = roles["receiver"].entity
    elif name == "marry" and agent:
        if agent.entity in cast.married:
            return False
        cast.married |= {agent.entity, roles["patient"].entity}
    elif name in ("join", "quit") and agent:
        if (name == "join") == (agent.entity in cast.members):
            return False
        cast.members ^= {agent.entity}
    return True
