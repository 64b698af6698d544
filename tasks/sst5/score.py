"""Accuracy and macro-F1, as for every task that chooses one of a few labels."""

from tasks.classification import score

__all__ = ["score"]
