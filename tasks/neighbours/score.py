"""Accuracy of tags, over the words that are asked."""

from tasks.scoring.tagging import counts, from_counts, score

__all__ = ["counts", "from_counts", "score"]
