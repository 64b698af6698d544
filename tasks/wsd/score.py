"""The score of the WSD evaluation framework (Raganato et al. 2017). No torch in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.scoring.additive_metrics import f1 as from_counts

__all__ = ["counts", "from_counts", "score"]

Senses = Sequence[Sequence[str]]
"""Of each instance: right ones in gold, of which any will do; answers in pred, maybe none."""


def score(gold: Senses, pred: Senses, sets: Sequence[str]) -> dict[str, float]:
    """Compute precision, recall and F1, in percent.

    Several answers to one instance share its point. Precision is over the instances answered,
    recall over all; where all are answered, the three are one: accuracy.

    Args:
        gold: the right senses of each instance, of which any will do.
        pred: the answers to each instance, maybe none.
        sets: the name of the set that each instance belongs to.

    Returns:
        `precision`, `recall`, `f1` over all instances, and as `f1/SET` … those of each set.

    Raises:
        ValueError: gold and pred have unlike lengths.

    >>> score([["a", "b"], ["c"]], [["b"], []], ["semeval", "semeval"])["recall"]
    50.0
    """
    whole = _figures(gold, pred)
    for name in dict.fromkeys(sets):
        here = [i for i, one in enumerate(sets) if one == name]
        part = _figures([gold[i] for i in here], [pred[i] for i in here])
        whole |= {f"{figure}/{name}": value for figure, value in part.items()}
    return whole


def _figures(gold: Senses, pred: Senses) -> dict[str, float]:
    right, answered, asked = _counts(gold, pred)
    return {
        "precision": 100 * right / max(answered, 1),
        "recall": 100 * right / max(asked, 1),
        "f1": 200 * right / max(answered + asked, 1),
    }


def _counts(gold: Senses, pred: Senses) -> tuple[float, int, int]:
    """Count points, instances answered, all instances."""
    pairs = [(right, set(answers)) for right, answers in zip(gold, pred, strict=True) if answers]
    points = sum(len(answers & set(right)) / len(answers) for right, answers in pairs)
    return points, len(pairs), len(gold)


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count (points, answered, asked) of a sentence: see tasks/scoring/additive_metrics.py.

    >>> counts({"gold": [["a"], ["b"]], "prediction": [["a"], []]})
    (1.0, 1, 2)
    """
    return _counts(row["gold"], row["prediction"])
