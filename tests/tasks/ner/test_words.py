"""Which words are counted, and what can be guessed of names without learning."""

from __future__ import annotations

import pytest
from datasets import Dataset

from tasks.ner.task import NER


def test_words_are_counted_in_lower_case() -> None:
    assert NER().count_words([{"tokens": ["Rolf", "rolf", "a"]}]) == {"rolf": 2, "a": 1}


def test_the_yardsticks() -> None:
    """A capital at the beginning of a sentence says nothing."""
    train = Dataset.from_list([{"tokens": ["Rolf", "sang"], "tags": ["B-PER", "O"]}])

    def found(*tags: str) -> dict[str, float]:
        rows = [{"tokens": ["Is", "Eva", "Ek", "Rolf"][: len(tags)], "tags": list(tags)}]
        return NER().yardsticks(train, Dataset.from_list(rows))

    assert found("O", "B-PER", "I-PER", "B-PER") == pytest.approx(
        {"each word's usual tag": 200 / 3, "capitals are names": 0}
    )
    assert found("O", "B-PER")["capitals are names"] == 100
