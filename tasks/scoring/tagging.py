"""Scores of tasks that choose a tag for each of several words. No torch in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from tasks.scoring.additive_metrics import mean as from_counts

__all__ = ["counts", "from_counts", "score"]

Tags = Sequence[Sequence[str]]


def score(gold: Tags, pred: Tags) -> dict[str, float]:
    """Compute the accuracy of tags over all tokens, in percent.

    Args:
        gold, pred: the tags of each sentence, in the same order and of the same lengths.

    Returns:
        `accuracy`, and for each gold tag `recall/TAG`: the accuracy over the tokens that have it.
        Of no tokens the accuracy is 0.

    Raises:
        ValueError: gold and pred have unlike numbers of tokens.

    >>> score([["DT", "NN"], ["NN"]], [["DT", "VB"], ["NN"]])
    {'accuracy': 66.66666666666666, 'recall/DT': 100.0, 'recall/NN': 50.0}
    """
    from sklearn.metrics import accuracy_score, recall_score  # here: it is slow to import

    flat, guess = list(chain(*gold)), list(chain(*pred))
    if not flat:
        return {"accuracy": 0.0}
    kinds = sorted(set(flat))
    recalls = recall_score(flat, guess, labels=kinds, average=None, zero_division=0)
    return {
        "accuracy": 100 * float(accuracy_score(flat, guess)),
        **{f"recall/{tag}": 100 * float(r) for tag, r in zip(kinds, recalls, strict=True)},
    }


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count (right, tokens) of a sentence: see tasks/scoring/additive_metrics.py.

    >>> counts({"gold": ["DT", "NN"], "prediction": ["DT", "VB"]})
    (1, 2)
    """
    pairs = zip(row["gold"], row["prediction"], strict=True)
    return (sum(gold == pred for gold, pred in pairs), len(row["gold"]))
