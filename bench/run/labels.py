"""Labels that no model can find, since training has not shown them. No torch here."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from bench.console import counted
from tasks.task import Example, Task

MOST = 12
"""Labels that a message names."""

log = logging.getLogger(__name__)


def warn_of_unseen(task: Task, split: str, examples: Iterable[Example]) -> None:
    """Name, in one warning, the labels of a split's gold that a prepared task does not know."""
    known = set(task.label_names)
    if not known:  # gold is no choice among labels
        return
    unseen = {label for example in examples for label in task.gold_labels(example)} - known
    if unseen:
        log.warning(
            "%s: %s that train does not have, always missed: %s (train has %s)",
            *(split, counted(len(unseen), "label"), listed(unseen), listed(known)),
        )


def listed(labels: Iterable[str]) -> str:
    """Write labels in order, the first of very many."""
    ordered = sorted(labels)
    more = len(ordered) - MOST
    return ", ".join(ordered[:MOST]) + (f" and {more} more" if more > 0 else "") or "none"
