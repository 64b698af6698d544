"""Accuracy of tags."""

from tasks.scoring.tagging import counts, from_counts, score

__all__ = ["counts", "from_counts", "score"]
