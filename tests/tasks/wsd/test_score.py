"""Word senses: the framework's score."""

from __future__ import annotations

import pytest
import torch

from tasks.wsd.score import counts, from_counts, score

GOLD = [["a"], ["b", "c"], ["d"], ["e"]]


@pytest.mark.parametrize(
    ("answers", "precision", "recall", "f1"),
    [
        ([["a"], ["c"], ["x"], ["x"]], 50, 50, 50),
        ([["a"], ["b"], [], []], 100, 50, 200 / 3),
        (
            [["a", "x"], ["b", "c"], ["d", "x", "y"], []],
            100 * (11 / 6) / 3,
            100 * (11 / 6) / 4,
            None,
        ),
        ([[], [], [], []], 0, 0, 0),
        ([["a", "a"], ["b"], ["d"], ["e"]], 100, 100, 100),
    ],
)
def test_score_is_the_official_one(
    answers: list[list[str]], precision: float, recall: float, f1: float | None
) -> None:
    """By hand, after the framework's Scorer: answers to one instance share its point."""
    found = score(GOLD, answers, ["s"] * 4)
    harmonic = 2 * precision * recall / (precision + recall) if precision else 0
    assert found["precision"] == pytest.approx(precision)
    assert found["recall"] == pytest.approx(recall)
    assert found["f1"] == pytest.approx(harmonic if f1 is None else f1)


def test_each_set_and_the_whole() -> None:
    """The whole is over all instances, not the mean of the sets."""
    found = score(GOLD, [["a"], ["b"], ["d"], []], ["one", "one", "one", "two"])
    assert found["f1/one"] == pytest.approx(100)
    assert found["recall/two"] == found["f1/two"] == 0
    assert (found["precision"], found["recall"]) == (100, 75)
    assert found["f1"] == pytest.approx(2 * 100 * 75 / 175)


def test_counts_add_up_to_the_score() -> None:
    answers = [["a", "x"], ["c"], [], ["e"]]
    rows = [
        {"gold": GOLD[:1], "prediction": answers[:1]},
        {"gold": GOLD[1:], "prediction": answers[1:]},
    ]
    sums = torch.tensor([counts(row) for row in rows]).double().sum(0).numpy()
    assert from_counts(sums) == pytest.approx(score(GOLD, answers, ["s"] * 4)["f1"])
