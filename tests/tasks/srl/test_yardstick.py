"""SRL's rule baseline, by hand: the most telling circumstances that training has shown."""

from __future__ import annotations

import pytest
from datasets import Dataset

from tasks.srl.task import SRL
from tasks.srl.yardstick import Yardstick
from tasks.task import Example


def example(text: str, predicate: int, *tags: str) -> Example:
    return {"words": text.split(), "predicate": predicate, "tags": list(tags)}


TRAIN = [
    example("Ann saw Tom", 1, "B-A0", "B-V", "B-A1"),
    example("Ann saw Tom", 1, "B-A0", "B-V", "B-A1"),
    example("Ann saw Tom", 1, "B-A0", "B-V", "B-A2"),
]


def test_word_and_distance_then_its_side_then_no_word() -> None:
    rule = Yardstick(TRAIN)
    assert rule(example("ann SAW tom", 1)) == ["B-A0", "B-V", "B-A1"]  # the commoner of two
    assert rule(example("Ann often saw Tom", 2)) == ["B-A0", "O", "O", "O"]  # by its side alone
    assert rule(example("Eva saw him", 1)) == ["B-A0", "B-V", "B-A1"]  # by tag and distance


def test_its_score_leaves_out_the_verb() -> None:
    """All three of its arguments are right; there are four."""
    dev = [
        example("Eva saw him", 1, "B-A0", "B-V", "B-A1"),
        example("Ann often saw Tom", 2, "B-A0", "O", "B-V", "B-A1"),
    ]
    found = SRL().yardsticks(Dataset.from_list(TRAIN), Dataset.from_list(dev))
    assert found == {"commonest next tag": pytest.approx(600 / 7)}
