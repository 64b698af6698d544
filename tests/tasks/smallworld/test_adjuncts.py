"""Adjuncts: their nouns tell the role, and training does not show all of them."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from tasks.smallworld.adjuncts import ADJUNCTS, OF_STATES, adjoin
from tasks.smallworld.document import Argument, Mention, Predication, Sentence
from tasks.smallworld.stories import Story
from tasks.srl.data import read

ROLES = {each.role for each in ADJUNCTS}
NOUNS = [noun for each in ADJUNCTS for noun in each.nouns]


@pytest.fixture(scope="module")
def longer(stories: list[Story]) -> list[tuple[Sentence, Sentence]]:
    rng = random.Random(1)
    sentences = [sentence for story in stories for sentence in story.document.sentences]
    return [(sentence, adjoin(sentence, rng, held_out=True)) for sentence in sentences]


def test_a_phrase_has_one_role_and_its_beginning_several() -> None:
    roles, beginnings = defaultdict(set), defaultdict(set)
    for each in ADJUNCTS:
        beginnings[each.beginning[0]].add(each.role)
        for noun in each.nouns:
            roles[(*each.beginning, noun.lstrip("*"))].add(each.role)
    assert all(len(found) == 1 for found in roles.values())
    assert all(len(found) > 1 for found in beginnings.values())


def test_a_noun_is_held_out_everywhere_or_nowhere(world: Path) -> None:
    novel = {noun.lstrip("*") for noun in NOUNS if noun.startswith("*")}
    assert not novel & {noun for noun in NOUNS if not noun.startswith("*")}
    train, dev, test = (set(_words(world / "srl", split)) for split in ("train", "dev", "test"))
    assert not novel & train
    assert novel <= dev | test


def _words(folder: Path, split: str) -> list[str]:
    return [word for words in read(folder, split)["words"] for word in words]


def test_the_sentence_goes_on(longer: list[tuple[Sentence, Sentence]]) -> None:
    for before, after in longer:
        old, new = before.predications[0], after.predications[0]
        assert after.tokens[: len(before.tokens) - 1] == before.tokens[:-1]
        assert after.tokens[-1] == "."
        assert new.arguments[: len(old.arguments)] == old.arguments
        added = new.arguments[len(old.arguments) :]
        assert 1 <= len(added) <= 2 or {a.role for a in old.arguments} >= set(OF_STATES)
        roles = [argument.role for argument in added]
        assert len(set(roles)) == len(roles)
        assert not {argument.role for argument in old.arguments} & set(roles)
        if added:
            assert added[-1].end == len(after.tokens) - 1


def test_a_state_has_a_place_and_a_time_at_most(longer: list[tuple[Sentence, Sentence]]) -> None:
    added = {
        argument.role
        for _, after in longer
        if after.predications[0].meaning == "tired"
        for argument in after.predications[0].arguments
    }
    assert added & ROLES == set(OF_STATES)


def test_an_apposition_is_closed() -> None:
    tokens = ("They", "met", "Ann", ",", "a", "judge", ".")
    arguments = (Argument(0, 1, "ARG0"), Argument(2, 6, "ARG1"))
    sentence = Sentence(
        tokens,
        (Mention(2, 6, "a", "person", True, 3),),
        (Predication(1, "meet", "meet", arguments),),
    )
    after = adjoin(sentence, random.Random(1), held_out=False)
    assert after.tokens[:7] == (*tokens[:6], ",")
    assert after.predications[0].arguments[2].start == 7


def test_of_several_predicates_it_might_be_any_ones() -> None:
    twice = (Predication(0, "go", "go", ()), Predication(1, "stop", "stop", ()))
    sentence = Sentence(("Go", "stop", "."), (), twice)
    assert adjoin(sentence, random.Random(1), held_out=True) == sentence
