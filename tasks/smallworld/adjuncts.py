"""Adjuncts: when, where, how, why and with whom, which the noun tells and the preposition does not.

"In winter", "in prison" and "in silence" are built alike, as are "for a week" and "for a fee".
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tasks.smallworld import words
from tasks.smallworld.document import Argument, Sentence
from tasks.smallworld.lexicon import STATES

OF_STATES = ("ARGM-LOC", "ARGM-TMP")
"""The roles that go with being tired or rich, too."""


@dataclass(frozen=True)
class Adjunct:
    """The phrases of one role that begin alike."""

    role: str
    beginning: tuple[str, ...]
    nouns: tuple[str, ...]  # with a star: held out of training


def _adjuncts() -> Iterator[Adjunct]:
    for line in words.ADJUNCTS.strip().splitlines():
        role, beginning, nouns = (part.split() for part in line.split("|"))
        yield Adjunct(role[0], tuple(beginning), tuple(nouns))


ADJUNCTS = tuple(_adjuncts())


def adjoin(sentence: Sentence, rng: random.Random, held_out: bool) -> Sentence:
    """Put one or two adjuncts before the full stop, of roles that the sentence does not have.

    Args:
        sentence: With several predicates it stays as it is, since they might be any one's.
        rng: Chooses how many, their roles, and their words.
        held_out: Whether nouns with a star may be used, beside the others.
    """
    if len(sentence.predications) != 1:
        return sentence
    predication = sentence.predications[0]
    arguments = list(predication.arguments)
    tokens = list(sentence.tokens[:-1])
    if any(m.named and m.name_end < m.end == len(tokens) for m in sentence.mentions):
        tokens.append(",")  # it closes an apposition
    state = predication.meaning in STATES
    roles = dict.fromkeys(each.role for each in ADJUNCTS)
    taken = {argument.role for argument in arguments}
    free = [role for role in roles if role not in taken and (not state or role in OF_STATES)]
    for role in rng.sample(free, min(len(free), rng.choice((1, 1, 2)))):
        chosen = rng.choice([each for each in ADJUNCTS if each.role == role])
        nouns = [noun for noun in chosen.nouns if held_out or not noun.startswith("*")]
        phrase = (*chosen.beginning, rng.choice(nouns).lstrip("*"))
        arguments.append(Argument(len(tokens), len(tokens) + len(phrase), role))
        tokens += phrase
    return replace(
        sentence,
        tokens=(*tokens, sentence.tokens[-1]),
        predications=(replace(predication, arguments=tuple(arguments)),),
    )
