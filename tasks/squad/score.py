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
    """The words of an answer in lower case, without punctuation and articles."""
    return _ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split()


def exact_match(prediction: str, reference: str) -> bool:
    return normalise(prediction) == normalise(reference)


def f1(prediction: str, reference: str) -> float:
    """Of the two bags of words, 0 to 1; 0 if they share none, even if both are empty."""
    ours, theirs = Counter(normalise(prediction)), Counter(normalise(reference))
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total()) if common else 0.0


def score(
    predictions: Mapping[str, str], references: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """`exact_match` and `f1` in percent, over all questions of `references`.

    Each is the best over a question's acceptable answers, found independently of the other. A
    question without a prediction counts as wrong.
    """
    answered = [(predictions[key], references[key]) for key in references if key in predictions]
    exact = sum(any(exact_match(ours, one) for one in theirs) for ours, theirs in answered)
    overlap = sum(max(f1(ours, one) for one in theirs) for ours, theirs in answered)
    return {"exact_match": 100 * exact / len(references), "f1": 100 * overlap / len(references)}


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """(F1, 1): see tasks/scoring/additive_metrics.py."""
    return (max(f1(row["prediction"], answer) for answer in row["answers"]), 1)
