"""Accuracy of tags. No torch in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from tasks.scoring.additive_metrics import mean as from_counts

__all__ = ["counts", "from_counts", "score"]

Tags = Sequence[Sequence[str]]


def score(gold: Tags, pred: Tags) -> dict[str, float]:
    """Accuracy over all tokens, and `recall/TAG`: over the tokens whose gold tag it is; percent."""
    from sklearn.metrics import accuracy_score, recall_score  # here: it is slow to import

    flat, guess = list(chain(*gold)), list(chain(*pred))
    kinds = sorted(set(flat))
    recalls = recall_score(flat, guess, labels=kinds, average=None, zero_division=0)
    return {
        "accuracy": 100 * float(accuracy_score(flat, guess)),
        **{f"recall/{tag}": 100 * float(r) for tag, r in zip(kinds, recalls, strict=True)},
    }


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """(right, tokens) of a sentence: see tasks/scoring/additive_metrics.py."""
    pairs = zip(row["gold"], row["prediction"], strict=True)
    return (sum(gold == pred for gold, pred in pairs), len(row["gold"]))
