"""Accuracy of tags: that of tasks/pos, over the words that are asked."""

from __future__ import annotations

from tasks.pos.score import counts, from_counts, score

__all__ = ["counts", "from_counts", "score"]
