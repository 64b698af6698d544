"""Running out of memory, explained: the longest example of the batch at hand, and the knob."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from omegaconf import DictConfig

from bench.errors import RunError
from tasks.task import Example, Task

SIGNS = ("out of memory", "can't allocate memory", "not enough memory")
"""What the messages of torch's allocators say, on a GPU and on the CPU."""


@contextmanager
def explained(
    cfg: DictConfig, task: Task, at_hand: Callable[[], Sequence[Example]]
) -> Iterator[None]:
    """Inside, running out of memory raises a RunError; other errors go through.

    Args:
        cfg: The run's configuration.
        task: The task, which tells an example's size.
        at_hand: Returns the examples of the batch at hand; none before the first batch.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        text = str(error).lower()
        if not isinstance(error, MemoryError) and not any(sign in text for sign in SIGNS):
            raise
        instead = ", or features=auto" if cfg.features.mode == "gpu" else ""
        raise RunError(f"{_advice(task, at_hand())}{instead}") from None


def _advice(task: Task, examples: Sequence[Example]) -> str:
    if not examples:
        return "out of memory before the first batch: close other programs, or use less data"
    longest = max(examples, key=task.size)
    return (
        f"out of memory in a batch of {len(examples)}, whose longest example, "
        f"{longest['id']}, has {task.size(longest)} tokens: lower training.batch_size"
    )
