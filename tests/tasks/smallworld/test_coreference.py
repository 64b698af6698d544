"""The built-in coreference: told with other nouns than before, each of which means one entity."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tasks.smallworld.claims import Phrase
from tasks.smallworld.coreference import SIZES
from tasks.smallworld.language import plural
from tasks.smallworld.lexicon import NOVEL, TAXONOMIES
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story, Style, retell
from tests.tasks.smallworld.anaphors import anaphors

SPLITS = ("train", "dev", "test")


@pytest.mark.parametrize("split", SPLITS)
def test_what_is_known_is_called_as_in_real_texts(split: str) -> None:
    """In the shares that `scripts/anaphors.py` finds in OntoGUM's training set."""
    found = Counter(how for how, _, _ in anaphors(split))
    shares = {how: 100 * number / found.total() for how, number in found.items()}
    assert shares == pytest.approx({"pronoun": 39, "name": 35, "same": 16, "other": 10}, abs=5)


def test_dev_has_nouns_for_what_training_does_not_show() -> None:
    above = {n: tree.above(n) for tree in TAXONOMIES.values() for n in tree.nouns if n in NOVEL}
    wider = {
        noun
        for how, noun, before in anaphors("dev")
        if how == "other" and any(noun in above[word] for word in before & above.keys())
    }
    assert len(wider) > 5
    assert not any(before & above.keys() for _, _, before in anaphors("train"))


def phrases(story: Story) -> dict[str, Phrase]:
    return {p.entity: p for claim in story.claims for p in claim.roles.values()}


def nouns(phrase: Phrase) -> set[str]:
    """All that an entity may be called: its noun, each wider one, a woman or a man."""
    found = {phrase.noun, *TAXONOMIES[phrase.kind].above(phrase.noun)}
    found |= {{"she": "woman", "he": "man"}.get(phrase.pronoun, phrase.noun)}
    return found if phrase.count == 1 else {plural(noun) for noun in found}


@pytest.mark.parametrize("split", SPLITS)
def test_another_noun_fits_one_entity_of_the_story_so_far(split: str) -> None:
    rng, found = random.Random(1), 0
    for story in Parts()[split][0][: SIZES[split]]:
        called = phrases(story)
        told: set[str] = set()
        for sentence in retell(story, Style(variation=1.0), rng).sentences:
            known = set(told)
            told |= {mention.entity for mention in sentence.mentions}
            for mention in sentence.mentions:
                words = [word.lower() for word in sentence.tokens[mention.start : mention.end]]
                phrase = called[mention.entity]
                own = phrase.noun if phrase.count == 1 else plural(phrase.noun)
                if words[0] != "the" or mention.kind in ("venue", "day") or words[-1] == own:
                    continue
                found += 1
                assert mention.entity in known
                assert {e for e in told if words[-1] in nouns(called[e])} == {mention.entity}
    assert found > 100


def test_a_noun_is_another_only_by_style() -> None:
    for story in Parts()["train"][0]:
        called = phrases(story)
        for sentence in retell(story, Style(variation=0.0), random.Random(1)).sentences:
            for mention in sentence.mentions:
                words = [word.lower() for word in sentence.tokens[mention.start : mention.end]]
                if words[0] == "the" and mention.kind not in ("venue", "day"):
                    phrase = called[mention.entity]
                    assert words[-1] in (phrase.noun, plural(phrase.noun))
