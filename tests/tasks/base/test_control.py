"""Control tasks: a word has one label, drawn as often as labels are used."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from datasets import Dataset

from tasks.base.control import control_of_words

TRAIN = Dataset.from_dict(
    {"id": ["1", "2"], "tokens": [["a"] * 6, ["b"] * 4], "tags": [["X"] * 6, ["Y", "Y", "Y", "Z"]]}
)


def relabelled(words: list[str], train: Dataset = TRAIN, seed: int = 1) -> list[str]:
    example: dict[str, Any] = {"id": "dev-1", "tokens": words, "tags": ["X"] * len(words)}
    relabel = control_of_words(train, seed, words="tokens", labels="tags")
    changed = relabel(example)
    assert changed["id"] == "dev-1"
    assert changed["tokens"] == words
    assert example["tags"] == ["X"] * len(words)  # what it was given stays as it is
    return list(changed["tags"])


def test_a_word_has_one_label_wherever_it_stands() -> None:
    words = [f"word{i}" for i in range(50)]
    labels = dict(zip(words, relabelled(words), strict=True))
    drawn = random.Random(0).choices(words, k=300)
    assert relabelled(drawn) == [labels[word] for word in drawn]
    assert relabelled(words) != relabelled([word.title() for word in words])  # as it is spelled


def test_labels_are_drawn_as_often_as_training_uses_them() -> None:
    words = [f"word{i}" for i in range(20_000)]
    shares = {label: n / len(words) for label, n in Counter(relabelled(words)).items()}
    assert shares == pytest.approx({"X": 0.6, "Y": 0.3, "Z": 0.1}, abs=0.015)  # 4 deviations


def test_seeds_draw_apart_from_each_other() -> None:
    words = [f"word{i}" for i in range(20_000)]
    pairs = zip(relabelled(words, seed=1), relabelled(words, seed=2), strict=True)
    same = sum(one == other for one, other in pairs) / len(words)
    assert same == pytest.approx(0.6**2 + 0.3**2 + 0.1**2, abs=0.015)


def test_the_order_of_the_examples_does_not_count() -> None:
    words = [f"word{i}" for i in range(100)]
    assert relabelled(words) == relabelled(words, TRAIN.select([1, 0]))
