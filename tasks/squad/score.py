"""Exact match and F1 of answers, as the official evaluate-v1.1.py gives them."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.scoring.additive_metrics import mean as from_counts

__all__ = ["counts", "exact_match", "f1", "from_counts", "normalise", "score"]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)  # ASCII's: “ and – stay
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise(answer: str) -> list[str]:
    """Return the words of an answer in lower case, without punctuation and articles.

    >>> normalise("The Nile, in Egypt.")
    ['nile', 'in', 'egypt']
    """
    return _ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split()


def exact_match(prediction: str, reference: str) -> bool:
    """Return whether two answers are the same once they are normalised.

    >>> exact_match("the Nile", "Nile.")
    True
    """
    return normalise(prediction) == normalise(reference)


def f1(prediction: str, reference: str) -> float:
    """Compute the F1 of two answers' bags of words, 0 to 1; two empty ones have 0.

    >>> f1("the river Nile", "Nile")
    0.6666666666666666
    """
    ours, theirs = Counter(normalise(prediction)), Counter(normalise(reference))
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total()) if common else 0.0


def score(
    predictions: Mapping[str, str], references: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Compute `exact_match` and `f1`, in percent, over all questions of `references`.

    Each is the best over a question's acceptable answers, found independently of the other. A
    question without a prediction counts as wrong.

    Args:
        predictions: an answer by the question's id.
        references: the acceptable answers by the question's id; at least one question.

    Raises:
        ZeroDivisionError: there is no question.

    >>> score({"1": "the river Nile"}, {"1": ["Nile"], "2": ["Rome"]})
    {'exact_match': 0.0, 'f1': 33.33333333333333}
    """
    answered = [(predictions[key], references[key]) for key in references if key in predictions]
    exact = sum(any(exact_match(ours, one) for one in theirs) for ours, theirs in answered)
    overlap = sum(max(f1(ours, one) for one in theirs) for ours, theirs in answered)
    return {"exact_match": 100 * exact / len(references), "f1": 100 * overlap / len(references)}


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count (F1, 1) of a question: see tasks/scoring/additive_metrics.py."""
    return (max(f1(row["prediction"], answer) for answer in row["answers"]), 1)
