"""Examples of dev and test that stand in training, too. No torch here."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from datasets import Dataset

from tasks.task import Example, Task

LOOKED_AT = 20_000
"""Training examples, evenly spaced: hundreds of thousands would take half a minute."""
MANY = 0.25
"""A share of a split; of published sets up to 4 % stand in training, short sentences mostly."""

log = logging.getLogger(__name__)


def warn_of_copies(task: Task, train: Dataset, others: Mapping[str, Dataset]) -> None:
    """Warn where many examples of a split stand in training, too, as in a file given twice.

    Args:
        task: Says what the sentences of an example are; labels do not count.
        train: The training examples.
        others: Those of other splits, by the names of these.
    """
    step = max(-(-len(train) // LOOKED_AT), 1)
    known = {_text(task, example) for example in train.select(range(0, len(train), step))}
    for split, examples in others.items():
        copies = step * sum(_text(task, example) in known for example in examples)
        if copies >= MANY * len(examples):
            about = "about " * (step > 1)
            log.warning(
                "%s: %s%s of %s examples stand in train, too: its scores say little of new text",
                *(split, about, f"{min(copies, len(examples)):,}", f"{len(examples):,}"),
            )


def _text(task: Task, example: Example) -> int:
    return hash(tuple(map(tuple, task.sentences(example))))
