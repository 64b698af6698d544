"""Opinions in the format of the Stanford Sentiment Treebank: 0 to 4 at every node of a tree.

Sentences are built bottom-up and a node's sentiment follows from its parts': what strengthens,
weakens or turns round works on what stands below it, and of two clauses the main one decides.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tasks.smallworld import sentiment_words as words
from tasks.smallworld.claims import Phrase
from tasks.smallworld.language import plural
from tasks.smallworld.parts import Parts
from tasks.smallworld.sentiment_trees import (
    Tree,
    added,
    flat,
    join,
    outweighed,
    sign,
    strengthened,
    turned,
)
from tasks.smallworld.stories import Story

SIZES = {"train": 700, "dev": 1500, "test": 1500}
SHARES = {0: 0.14, 1: 0.24, 2: 0.20, 3: 0.27, 4: 0.15}  # much as in the treebank
NOVELTY = 0.4  # how often dev and test prefer a held-out word
# Meanings of events that please or grieve nobody: what may be told as a mere fact.
FACTS = {"trade", "loan", "repair", "paint", "find", "meet", "phone", "join", "work", "follow"}
LONGEST_FACT = 9  # in words; longer ones would be most of the text


def write(folder: Path, parts: Parts) -> None:
    """Write `{train,dev,test}.txt`, a tree a line; no sentence occurs twice, in whatever split."""
    told: set[str] = set()
    for split, size in SIZES.items():
        critic = Critic(parts[split][0], split, random.Random(f"sst5 {split} {parts.seed}"))
        wanted = Counter({label: round(size * share) for label, share in SHARES.items()})
        trees: list[str] = []
        while wanted.total():
            tree = critic.sentence()
            if wanted[tree.value + 2] and tree.text not in told:
                told.add(tree.text)
                wanted[tree.value + 2] -= 1
                trees.append(_capitalised(str(tree)))
        (folder / f"{split}.txt").write_text("".join(trees), encoding="utf-8", newline="\n")


def _capitalised(tree: str) -> str:
    return re.sub(r"\(\d [^(]", lambda leaf: leaf[0].upper(), tree, count=1) + "\n"


class Critic:
    """Someone who says what people thought of the things, places and events of their world."""

    def __init__(self, stories: Sequence[Story], split: str, rng: random.Random) -> None:
        self.stories, self.casts, self.rng = stories, _casts(stories), rng
        self.novelty = NOVELTY if split != "train" else 0.0

    def choose(self, options: str | Sequence[str]) -> str:
        """Choose one of the options; a held-out one as often as this split prefers those."""
        every = options.split() if isinstance(options, str) else options
        novel = self.rng.random() < self.novelty
        starred = [word[1:] for word in every if word.startswith("*")]
        plain = [word for word in every if not word.startswith("*")]
        return self.rng.choice(starred if novel and starred else plain)

    def sentence(self) -> Tree:
        shape = self.rng.choices(
            (self.clause, self.contrast, self.concession, self.addition, self.denial, self.wish),
            (14, 28, 24, 14, 12, 8),
        )[0]
        return join(shape(), Tree(0, "."))

    # -- sentences

    def contrast(self) -> Tree:
        """Say "the music was dull , but we loved the play" and the like: what comes last counts."""
        side, main = self.sides()
        left = Tree(side.value, (side, Tree(0, ",")))
        right = join(Tree(0, "but"), main)
        return Tree(outweighed(main.value, side.value), (left, right))

    def concession(self) -> Tree:
        """Say "although A , B" or "B , although A": B counts, wherever it stands."""
        side, main = self.sides()
        side = join(Tree(0, self.rng.choice(("although", "though"))), side)
        value = outweighed(main.value, side.value)
        if self.rng.random() < 0.5:
            return Tree(value, (Tree(side.value, (side, Tree(0, ","))), main))
        return Tree(value, (Tree(main.value, (main, Tree(0, ","))), side))

    def addition(self) -> Tree:
        one, other = self.clause(), self.clause()
        right = join(Tree(0, "and"), other)
        return Tree(added(one.value, other.value), (one, right))

    def denial(self) -> Tree:
        """Say "nobody would say that A" and the like: the opposite of A."""
        opening = self.rng.choice(("nobody would say that", "it is not true that"))
        inner = self.judgement()
        return Tree(turned(inner.value), (flat(opening), inner))

    def wish(self) -> Tree:
        """Say what was expected, which says nothing of what came, or what should have been good and
        was not."""
        topic = self.topic()
        if self.rng.random() < 0.6:
            hoped = self.rng.choice(("expected", "wanted", "imagined"))
            inner = join(topic, flat("to be"), self.adjective())
            return Tree(0, (self.holder(), Tree(0, (flat(hoped), inner))))
        ought = join(flat("should have been"), self.adjective(self.rng.choice((1, 2))))
        return Tree(-1, (topic, Tree(-1, ought.parts)))

    def sides(self) -> tuple[Tree, Tree]:
        """Make a side remark, or what was hoped for, and an opinion that does not agree with it."""
        side = self.wish() if self.rng.random() < 0.2 else self.clause()
        main = self.clause()
        while main.value == 0 or main.value * side.value > 0:
            main = self.clause()
        return side, main

    # -- clauses

    def clause(self) -> Tree:
        shapes = (self.judgement, self.feeling, self.possession, self.fact)
        return self.rng.choices(shapes, (45, 25, 15, 15))[0]()

    def judgement(self) -> Tree:
        """Say "the library was not very pleasant" and the like."""
        topic = self.topic()
        return join(topic, Tree(0, "was"), self.description())

    def feeling(self) -> Tree:
        """Say "Anna Berg did not enjoy the concert", "nobody liked the food" and the like."""
        worth = self.rng.choice(list(words.VERBS))
        past, plain = self.choose(words.VERBS[worth]).split(":")
        kind = self.rng.random()
        if kind < 0.35:
            verb = Tree(worth, plain)
            turn = flat(self.choose(words.DID_NOT))
            said = Tree(worth, (verb, self.topic()))
            return join(self.holder(), Tree(turned(worth), (turn, said)))
        said = Tree(worth, (Tree(worth, past), self.topic()))
        if kind < 0.5:
            return Tree(turned(worth), (Tree(0, words.NOBODY), said))
        return join(self.holder(), said)

    def possession(self) -> Tree:
        """Say "the play had no charm", "the club was full of noise" and the like."""
        topic = self.topic()
        worth = self.rng.choice(list(words.NOUNS))
        noun = Tree(worth, self.choose(words.NOUNS[worth]))
        had, value = self.rng.choice(
            (
                ("had some", worth),
                ("had plenty of", strengthened(worth)),
                ("was full of", strengthened(worth)),
                ("had no", turned(worth)),
                ("lacked", turned(worth)),
                ("was free of", turned(worth)),
                ("was never full of", turned(worth)),
            )
        )
        return join(topic, Tree(value, (flat(had), noun)))

    def fact(self) -> Tree:
        """Quote a sentence of a story, as neutral as it is."""
        while True:
            line = self.rng.choice(self.rng.choice(self.stories).document.sentences)
            if line.predications[0].meaning in FACTS and len(line.tokens) <= LONGEST_FACT:
                break
        first, *rest = line.tokens[:-1]
        named = any(mention.start == 0 and mention.named for mention in line.mentions)
        return flat(" ".join((first if named else first.lower(), *rest)))

    # -- phrases

    def description(self) -> Tree:
        """Choose an adjective with what stands before it, or two of them at odds."""
        if self.rng.random() < 0.15:
            main = self.adjective(self.rng.choice((-2, -1, 1, 2)))
            side = self.adjective(self.rng.choice((-1, -2)) * sign(main.value))
            right = join(Tree(0, "but"), main)
            return Tree(outweighed(main.value, side.value), (side, right))
        phrase = self.adjective()
        degree = self.rng.random()
        if degree < 0.2:
            adverb = Tree(0, self.choose(words.STRENGTHEN))
            phrase = Tree(strengthened(phrase.value), (adverb, phrase))
        elif degree < 0.3:
            phrase = Tree(sign(phrase.value), (Tree(0, self.choose(words.WEAKEN)), phrase))
        turn = self.rng.random()
        if turn < 0.45:
            phrase = Tree(turned(phrase.value), (flat(self.choose(words.NOT)), phrase))
        elif turn < 0.6:
            phrase = join(flat(self.choose(words.NOTHING)), phrase)
        return phrase

    def adjective(self, worth: int | None = None) -> Tree:
        if worth is None:
            worth = self.rng.choices(list(words.ADJECTIVES), (25, 22, 4, 22, 25))[0]
        return Tree(worth, self.choose(words.ADJECTIVES[worth]))

    def topic(self) -> Tree:
        """Name what the opinion is of: an event, an aspect of a place, a thing, a person."""
        phrases = [phrase for phrase in self.rng.choice(self.casts) if phrase.count == 1]
        if self.rng.random() < 0.6:
            event = self.choose(f"{words.EVENTS} {words.ASPECTS}")
            venues = [p for p in phrases if p.kind in ("venue", "body", "town")]
            where = f" in {_called(self.rng.choice(venues))}" if self.rng.random() < 0.4 else ""
            return flat(f"the {event}{where}")
        return flat(_called(self.rng.choice([p for p in phrases if p.kind != "town"])))

    def holder(self) -> Tree:
        people = [p for p in self.rng.choice(self.casts) if p.kind == "person"]
        if self.rng.random() < 0.5:
            return flat(_called(self.rng.choice(people)))
        return flat(self.rng.choice(words.EVERYBODY))


def _casts(stories: Sequence[Story]) -> list[list[Phrase]]:
    """List who and what each story is about, where there are people and a place among them."""
    casts = []
    for story in stories:
        met = {p.entity: p for claim in story.claims for p in claim.roles.values()}
        casts.append([p for p in met.values() if p.kind != "day" and "door" not in p.noun])
    return [cast for cast in casts if {"venue", "person"} <= {p.kind for p in cast}]


def _called(phrase: Phrase) -> str:
    """Return a name, or the thing with its adjective: "the red apples"."""
    if phrase.name:
        return phrase.name
    noun = phrase.noun if phrase.count == 1 else plural(phrase.noun)
    return " ".join(word for word in ("the", phrase.adjective, noun) if word)
