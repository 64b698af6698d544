"""The small world's English, and what is annotated in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.smallworld import senses, speech
from tasks.smallworld.claims import Phrase
from tasks.smallworld.document import Sentence
from tasks.smallworld.language import sentence
from tasks.smallworld.lexicon import VERBS
from tasks.smallworld.sense_words import CONTEXTS
from tasks.smallworld.stories import Story
from tasks.smallworld.words import DAYS
from tests.tasks.conftest import said


def test_english() -> None:
    sold = said("sell", {"giver": "girl", "receiver": "boxer", "thing": "apple", "day": "Monday"})
    one, three = sold.roles["thing"], replace(sold.roles["thing"], count=3, noun="pear")
    red = sold.put("thing", replace(one, adjective="red"))
    assert sentence(sold).text == "A girl sold an apple to a boxer on Monday."
    assert sentence(replace(red, dative=True)).text == "A girl sold a boxer a red apple on Monday."
    passive = replace(sold.put("thing", three), passive=True, fronted=True)
    assert sentence(passive).text == "On Monday, three pears were sold by a girl to a boxer."
    assert sentence(replace(sold, negated=True)).text == (
        "A girl did not sell an apple to a boxer on Monday."
    )


def test_spans_lie_in_their_sentences(stories: list[Story]) -> None:
    for line in (line for story in stories for line in story.document.sentences):
        for span in (*line.mentions, *(a for p in line.predications for a in p.arguments)):
            assert 0 <= span.start < span.end <= len(line.tokens) - 1
            assert line.tokens[span.end - 1] not in {",", "."}
        assert all(_is_form(line, p.position, p.lemma) for p in line.predications)


def _is_form(line: Sentence, position: int, lemma: str) -> bool:
    verb = next(verb for verb in VERBS if verb.base == lemma)
    return line.tokens[position] in (verb.base, verb.past, verb.participle)


def test_stories_come_back_to_their_people(stories: list[Story]) -> None:
    taken_up = Counter(
        line.tokens[m.start].lower()
        for story in stories
        for line in story.document.sentences
        for m in line.mentions
        if m.kind == "person"
    )
    assert min(taken_up[word] for word in ("she", "he", "they", "her", "him", "the")) > 10


TAGGED = [
    ("On Monday , three pears were sold by a girl to a boxer .",
     "IN NNP , CD NNS VBD VBN IN DT NN IN DT NN ."),
    ("A girl did not sell a boxer a red apple in the park .",
     "DT NN VBD RB VB DT NN DT JJ NN IN DT NN ."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TAGGED)
def test_parts_of_speech(text: str, expected: str) -> None:
    sold = said("sell", {"giver": "girl", "receiver": "boxer", "thing": "apple"})
    apple = sold.roles["thing"]
    if text.startswith("On"):
        pears = sold.put("thing", replace(apple, count=3, noun="pear"))
        claim = replace(
            pears.put("day", Phrase("Monday", "day", "Monday")), passive=True, fronted=True
        )
    else:
        red = sold.put("thing", replace(apple, adjective="red"))
        claim = replace(
            red.put("venue", Phrase("park", "venue", "park")), dative=True, negated=True
        )
    line = sentence(claim)
    assert " ".join(line.tokens) == text
    assert speech.tags(line) == expected.split()


def test_names_alone_are_names(stories: list[Story]) -> None:
    days = {day for row in DAYS.values() for day in row.replace("*", "").split()}
    for line in (line for story in stories for line in story.document.sentences):
        named = {i for m in line.mentions for i in range(m.start, m.name_end)}
        tags = speech.tags(line)
        found = {i for i, tag in enumerate(tags) if tag == "NNP" and line.tokens[i] not in days}
        assert found == named
        assert sum(tag in {"VB", "VBN"} for tag in tags) <= len(line.predications)


def test_what_is_said_of_a_name_need_not_tell_its_kind(stories: list[Story]) -> None:
    """People, towns and organisations are admired, hated, visited, each often enough."""
    kinds = Counter(
        claim.roles["topic"].kind
        for story in stories
        for claim in story.claims
        if claim.verb.meaning.frame == "regard"
    )
    assert kinds.keys() == {"person", "town", "body"}
    assert min(kinds.values()) > 0.1 * kinds.total()
    bodies = [c for s in stories for c in s.claims if c.roles[c.subject].kind == "body"]
    assert len({claim.verb.meaning.frame for claim in bodies}) > 4


def test_senses_are_told_apart_by_new_contexts(world: Path) -> None:
    keys, texts = {}, {}
    for split, name in senses.SETS.items():
        rows = (world / "wsd" / name / f"{name}.gold.key.txt").read_text().splitlines()
        keys[split] = {row.split()[1] for row in rows}
        plain = re.sub(r"<[^>]*>", "", (world / "wsd" / name / f"{name}.data.xml").read_text())
        texts[split] = " ".join(plain.split())
    kept = [re.sub(r"[{}\[\]*]", "", c) for of in CONTEXTS.values() for c in of if c[0] == "*"]
    kept = [" ".join(context.split()[-4:]) for context in kept]
    for split in ("train", "dev", "test"):
        assert set(CONTEXTS) <= keys[split]
        seen = sum(context in texts[split] for context in kept)
        assert seen == 0 if split == "train" else seen > len(kept) / 2
    inventory = (world / "wsd" / "index.sense").read_text()
    assert all(key in inventory for split in keys for key in keys[split])
