"""Running out of memory, explained: the longest example of the batch at hand, and the knob."""

from __future__ import annotations

from collections.abc import Sequence

from bench.errors import RunError
from tasks.task import Example, Task

SIGNS = ("out of memory", "can't allocate memory", "not enough memory")
"""What the messages of torch's allocators say, on a GPU and on the CPU."""


def explained(error: Exception, task: Task, examples: Sequence[Example]) -> RunError | None:
    """Return what to raise instead of `error`, or None where memory is not what it is about.

    Args:
        error: What stopped the run.
        task: The task, which tells an example's size.
        examples: Those of the batch at hand; none before the first batch.
    """
    text = str(error).lower()
    if not isinstance(error, MemoryError) and not any(sign in text for sign in SIGNS):
        return None
    if not examples:
        return RunError(
            "out of memory before the first batch: close other programs, or use less data"
        )
    longest = max(examples, key=task.size)
    return RunError(
        f"out of memory in a batch of {len(examples)}, whose longest example, "
        f"{longest['id']}, has {task.size(longest)} tokens: lower training.batch_size"
    )
