"""The built-in questions: answered by the text, in words of their own, and not given away."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks import smallworld
from tasks.smallworld import names
from tasks.smallworld.claims import Claim, Phrase
from tasks.smallworld.lexicon import NOVEL, VERBS
from tasks.smallworld.parts import Parts
from tasks.smallworld.questions import SIZES, WORDS, Question, ask, happens_elsewhere, questions
from tasks.smallworld.stories import Story
from tasks.squad.task import SQuAD

Row = dict[str, Any]


@pytest.fixture(scope="module")
def folder() -> Path:
    return smallworld.ensure("squad")


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, list[Row]]:
    """Questions with their paragraph, by split."""
    found: dict[str, list[Row]] = {}
    for split in SIZES:
        articles = json.loads((folder / f"{split}-v1.1.json").read_text())["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        found[split] = [{**qa, "context": p["context"]} for p in paragraphs for qa in p["qas"]]
    return found


@pytest.fixture(scope="module")
def asked() -> list[tuple[Story, Question]]:
    stories, lexicon = Parts()["dev"]
    rng = random.Random(0)
    return [(story, question) for story in stories for question in questions(story, lexicon, rng)]


def test_sizes(rows: dict[str, list[Row]]) -> None:
    for split, size in SIZES.items():
        assert len(rows[split]) == len({row["id"] for row in rows[split]}) == size
        assert size / len({row["context"] for row in rows[split]}) > 2
        kinds = Counter(row["question"].split()[0] for row in rows[split])
        assert set(kinds) == set(WORDS.values())
        assert max(kinds.values()) < 0.6 * size


def test_answers_stand_in_the_text(rows: dict[str, list[Row]]) -> None:
    for split in SIZES:
        for row in rows[split]:
            assert len(row["answers"]) <= (1 if split == "train" else 3)
            for answer in row["answers"]:
                start, text = answer["answer_start"], answer["text"]
                assert row["context"][start : start + len(text)] == text
                assert text.lower() not in row["question"].lower()
                assert not re.fullmatch("she|he|they|it|her|him|them", text, re.IGNORECASE)


def test_the_paragraphs_are_the_stories(rows: dict[str, list[Row]]) -> None:
    told = {story.document.text for story in Parts()["test"][0]}
    assert {row["context"] for row in rows["test"]} <= told


def test_there_is_always_another_candidate(asked: list[tuple[Story, Question]]) -> None:
    """Someone or something else of the same kind, whose name the question does not give."""
    for story, question in asked:
        answers = {text.lower() for text, _ in question.answers}
        candidates = {
            (m.entity, " ".join(line.tokens[m.start : m.name_end if m.named else m.end]))
            for line in story.document.sentences
            for m in line.mentions
            if m.kind == question.kind
        }
        answer = {entity for entity, text in candidates if text.lower() in answers}
        given = {e for e, text in candidates if re.search(rf"\b{text}\b", question.text)}
        assert len(answer) == 1, question
        assert {entity for entity, _ in candidates} - answer - given, question


def test_words_of_their_own(asked: list[tuple[Story, Question]]) -> None:
    """A good part of the questions use another verb than the text."""
    forms = {form: v.base for v in VERBS for form in (v.base, v.past, v.participle)}
    told = [
        {forms.get(word) for line in story.document.sentences for word in line.tokens}
        for story, _ in asked
    ]
    verbs = [{forms[w] for w in re.findall(r"\w+", q.text) if w in forms} for _, q in asked]
    new = sum(not (mine & theirs) for mine, theirs in zip(verbs, told, strict=True))
    assert 0.2 < new / len(asked) < 0.6


def test_nothing_new_in_train(rows: dict[str, list[Row]]) -> None:
    text = " ".join(f"{row['context']} {row['question']}" for row in rows["train"])
    seen = set(re.findall(r"[\w-]+", text))
    assert not NOVEL & seen
    for own in (names.DEV, names.TEST):
        assert not {*own.women, *own.men, *own.surnames, *own.towns, *own.brands} & seen
    asked = {w for row in rows["dev"] for w in re.findall(r"[\w-]+", row["question"])}
    assert {form for v in VERBS if v.base in NOVEL for form in (v.base, v.past)} & asked


def test_the_longest_name_seldom_answers() -> None:
    task = SQuAD()
    train, dev = task.load("train"), task.load("dev")
    assert train is not None
    assert dev is not None
    assert max(task.yardsticks(train, dev).values()) < 35


def _claim(verb: str, roles: dict[str, Phrase], **form: bool) -> Claim:
    return Claim(next(v for v in VERBS if v.base == verb), roles, **form)


ANN = Phrase("ann", "person", "person", "Ann Lee", pronoun="she")
BOXER = Phrase("boxer", "person", "boxer", form="known")
PEARS = Phrase("pears", "thing", "pear", adjective="red", count=2)
PARK = Phrase("park", "venue", "park")
MONDAY = Phrase("monday", "day", "Monday")
SOLD = {"giver": ANN, "receiver": BOXER, "thing": PEARS, "venue": PARK, "day": MONDAY}


@pytest.mark.parametrize(
    ("claim", "role", "question"),
    [
        (
            _claim("sell", SOLD),
            "giver",
            "Who sold two red pears to the boxer in the park on Monday?",
        ),
        (
            _claim("sell", SOLD),
            "receiver",
            "Who did Ann Lee sell two red pears to in the park on Monday?",
        ),
        (
            _claim("buy", SOLD),
            "thing",
            "What did the boxer buy from Ann Lee in the park on Monday?",
        ),
        (
            _claim("buy", SOLD),
            "venue",
            "Where did the boxer buy two red pears from Ann Lee on Monday?",
        ),
        (
            _claim("sell", SOLD, passive=True),
            "day",
            "When were two red pears sold by Ann Lee to the boxer in the park?",
        ),
        (
            _claim("repair", {"agent": ANN, "thing": PEARS}, passive=True),
            "thing",
            "What was repaired by Ann Lee?",
        ),
        (_claim("asleep", {"agent": BOXER, "venue": PARK}), "agent", "Who was asleep in the park?"),
        (_claim("asleep", {"agent": BOXER, "venue": PARK}), "venue", "Where was the boxer asleep?"),
    ],
)
def test_english(claim: Claim, role: str, question: str) -> None:
    assert ask(claim, role) == question


def test_what_happened_twice_is_not_asked_for() -> None:
    take, steal, awake, asleep = (_claim(verb, {}) for verb in ("take", "steal", "awake", "asleep"))
    assert happens_elsewhere(take, [take, steal])
    assert not happens_elsewhere(steal, [take, steal])
    assert not happens_elsewhere(asleep, [asleep, awake])
    assert happens_elsewhere(asleep, [asleep, _claim("awake", {}, negated=True)])
