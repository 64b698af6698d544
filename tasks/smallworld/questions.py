"""Questions about the stories, with answers in their text, in the official SQuAD 1.1 format.

A question retells an event in other words and leaves one of its roles open. It is asked only if the
story speaks of at least one other that could fill the role (another person, thing, place or day)
and that the question does not mention: who reads the question alone, or picks the only name, cannot
tell.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tasks.smallworld.claims import DETAILS, Claim, Phrase, compare_meanings
from tasks.smallworld.document import Document, Mention, Sentence, detokenise
from tasks.smallworld.language import sentence
from tasks.smallworld.lexicon import TAXONOMIES, VERBS, Lexicon
from tasks.smallworld.logic import NARROWER, OPPOSITE
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story

SIZES = {"train": 1200, "dev": 300, "test": 300}
WORDS = {"person": "Who", "thing": "What", "venue": "Where", "day": "When"}
PRONOUNS = frozenset({"she", "he", "they", "it", "her", "him", "them"})


@dataclass(frozen=True)
class Question:
    text: str
    kind: str  # of what is asked for: person, thing, venue, day
    answers: tuple[tuple[str, int], ...]  # the text, and where it stands in the story's


def write(folder: Path, parts: Parts) -> None:
    """Write `{train,dev,test}-v1.1.json`: one article and paragraph a story, several questions
    each.

    As in SQuAD, there is one answer in train; in dev and test, up to three are acceptable.
    """
    for split, size in SIZES.items():
        stories, lexicon = parts[split]
        rng = random.Random(f"squad {split} {parts.seed}")
        candidates = [_mixed(questions(story, lexicon, rng), rng) for story in stories]
        rounds = [(i, q) for row in zip_longest(*candidates) for i, q in enumerate(row) if q]
        asked: list[list[Question]] = [[] for _ in stories]
        for i, question in rounds[:size]:
            asked[i].append(question)
        answers = 1 if split == "train" else 3
        articles = [_article(s.document, q, answers) for s, q in zip(stories, asked, strict=True)]
        content = {"version": "1.1", "data": [a for a in articles if a["paragraphs"]]}
        with open(folder / f"{split}-v1.1.json", "w", encoding="utf-8", newline="\n") as file:
            json.dump(content, file, indent=1)


def _mixed(found: Iterator[Question], rng: random.Random) -> list[Question]:
    """Shuffle questions, but let one of each kind come before a second of any."""
    every = list(found)
    rng.shuffle(every)
    seen: Counter[str] = Counter()
    places = []
    for question in every:
        places.append(seen[question.kind])
        seen[question.kind] += 1
    return [every[i] for i in sorted(range(len(every)), key=places.__getitem__)]


def _article(document: Document, asked: Sequence[Question], answers: int) -> dict[str, Any]:
    """Lay an article out as SQuAD does, without a paragraph where nothing is asked."""
    qas = [
        {
            "id": f"{document.id}-{number}",
            "question": question.text,
            "answers": [
                {"answer_start": start, "text": text} for text, start in question.answers[:answers]
            ],
        }
        for number, question in enumerate(asked)
    ]
    paragraphs = [{"context": document.text, "qas": qas}] if qas else []
    return {"title": document.id, "paragraphs": paragraphs}


# -- what is asked


def questions(story: Story, lexicon: Lexicon, rng: random.Random) -> Iterator[Question]:
    """Ask one question for every role of every event that can be asked for."""
    lines = story.document.sentences
    told = {mention.entity: mention.kind for line in lines for mention in line.mentions}
    for number, claim in enumerate(story.claims):
        if claim.negated or happens_elsewhere(claim, story.claims):
            continue
        shown = {mention.entity for mention in lines[number].mentions}
        event = replace(claim, roles={r: p for r, p in claim.roles.items() if p.entity in shown})
        for role, phrase in event.roles.items():
            if phrase.kind not in WORDS:
                continue
            retold = _retell(event, role, told, lexicon, rng)
            if retold is not None:
                answers = _answers(story.document, number, phrase.entity)
                yield Question(ask(retold, role), phrase.kind, answers)


def happens_elsewhere(claim: Claim, claims: Sequence[Claim]) -> bool:
    """Return whether another event is of the same kind: a theft is a taking, not awake is
    asleep."""
    relations = [
        (compare_meanings(other.verb.meaning, claim.verb.meaning), other.negated)
        for other in claims
        if other is not claim
    ]
    return (NARROWER, False) in relations or (OPPOSITE, True) in relations


def _retell(
    event: Claim, role: str, told: Mapping[str, str], lexicon: Lexicon, rng: random.Random
) -> Claim | None:
    """Tell the event in the question's words; None where only one answer would be left."""
    synonyms = [verb for verb in VERBS if verb.meaning == event.verb.meaning]
    verb = lexicon.choose(rng, synonyms) or event.verb
    passive = verb.passive and rng.random() < 0.3
    claim = replace(event, verb=verb, passive=passive, dative=False, fronted=False)
    asked = event.roles[role]
    rivals = {e for e, kind in told.items() if kind == asked.kind and e != asked.entity}
    for other, phrase in event.roles.items():
        left = rivals - {phrase.entity}
        needed = other in (role, claim.subject, claim.verb.object)  # else there is no sentence
        if not needed and (not left or rng.random() < 0.4):
            claim = claim.put(other, None)
        else:
            claim = claim.put(other, _describe(phrase, rng))
            rivals = left
    return claim if rivals else None


def _describe(phrase: Phrase, rng: random.Random) -> Phrase:
    """Use a name, or a description that fits nobody else in the story."""
    if phrase.name and (phrase.noun in ("woman", "man") or rng.random() < 0.5):
        return replace(phrase, noun=TAXONOMIES[phrase.kind].top or phrase.noun)
    if phrase.kind in ("person", "thing"):
        adjective = phrase.adjective if rng.random() < 0.5 else ""
        return replace(phrase, name="", adjective=adjective, form="known")
    return phrase


# -- how it is asked


def ask(claim: Claim, role: str) -> str:
    """Turn the claim into a question for one of its roles."""
    line = sentence(claim)
    gap, subject = (
        next(m for m in line.mentions if m.entity == claim.roles[r].entity)
        for r in (role, claim.subject)
    )
    verb = line.predications[0].position
    auxiliary = line.tokens[subject.end : verb]  # was, were, or none
    if gap == subject:
        words = ["was" for _ in auxiliary] + list(line.tokens[verb:-1])
    else:
        before = gap.start - 1 if gap.kind in DETAILS else gap.start  # without the preposition
        rest = line.tokens[verb + 1 : before] + line.tokens[gap.end : -1]
        predicate = line.tokens[verb] if auxiliary else claim.verb.base
        words = [*(auxiliary or ("did",)), *_inside(line, subject), predicate, *rest]
    return detokenise((WORDS[gap.kind], *words)) + "?"


def _inside(line: Sentence, subject: Mention) -> list[str]:
    """Spell the subject as inside a sentence."""
    first, *rest = line.tokens[subject.start : subject.end]
    return [first if subject.named else first.lower(), *rest]


# -- what is the answer


def _answers(document: Document, number: int, entity: str) -> tuple[tuple[str, int], ...]:
    """Find what the event's sentence calls the entity, or, if by a pronoun, the closest name or
    noun before it; then how the entity was introduced, by its name alone and in full."""
    mentions = [
        (i, mention)
        for i, line in enumerate(document.sentences[: number + 1])
        for mention in line.mentions
        if mention.entity == entity and line.tokens[mention.start].lower() not in PRONOUNS
    ]
    (here, close), (there, first) = mentions[-1], mentions[0]
    spans = [
        (here, close.start, _name_end(close)),
        (there, first.start, _name_end(first)),
        (there, first.start, first.end),
    ]
    starts: dict[str, int] = {}
    for span in spans:
        text, start = _locate(document, *span)
        starts.setdefault(text, start)
    return tuple(starts.items())


def _name_end(mention: Mention) -> int:
    return mention.name_end if mention.named else mention.end


def _locate(document: Document, number: int, begin: int, end: int) -> tuple[str, int]:
    """Spell the words begin ≤ i < end of a sentence, and find them in the document's text."""
    tokens, text = document.sentences[number].tokens, document.sentences[number].text
    start = len(detokenise(tokens[: begin + 1])) - len(tokens[begin])
    before = sum(len(line.text) + 1 for line in document.sentences[:number])
    return text[start : len(detokenise(tokens[:end]))], before + start
