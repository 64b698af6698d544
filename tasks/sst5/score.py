"""Accuracy and macro-F1, as for every task that chooses one of a few labels."""

from tasks.scoring.classification import counts, from_counts, score

__all__ = ["counts", "from_counts", "score"]
