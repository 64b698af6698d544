"""Scores of tasks that choose one of a few labels. No torch in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.scoring.additive_metrics import mean as from_counts

__all__ = ["counts", "from_counts", "score"]


def score(gold: Sequence[str], pred: Sequence[str], labels: Sequence[str]) -> dict[str, float]:
    """Compute accuracy and macro-F1, in percent.

    Args:
        gold, pred: one label an example, in the same order.
        labels: all that there are.

    Returns:
        `accuracy`; `macro_f1`, the unweighted mean over the labels that occur in gold or pred;
        `macro_f1_all_labels`, the mean over all of `labels`, with 0 for one that never occurs.

    Raises:
        ValueError: gold and pred have unlike lengths.

    >>> score(["yes", "yes", "no"], ["yes", "no", "no"], ["no", "yes"])["macro_f1"]
    66.66666666666666
    """
    from sklearn.metrics import accuracy_score, f1_score  # here: it is slow to import

    per_class = f1_score(gold, pred, labels=list(labels), average=None, zero_division=0)
    return {
        "accuracy": 100 * float(accuracy_score(gold, pred)),
        "macro_f1": 100 * float(f1_score(gold, pred, average="macro", zero_division=0)),
        "macro_f1_all_labels": 100 * float(per_class.mean()),
    }


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count (right, 1) of an example: see tasks/scoring/additive_metrics.py.

    >>> counts({"gold": "yes", "prediction": "yes"})
    (True, 1)
    """
    return (row["prediction"] == row["gold"], 1)
