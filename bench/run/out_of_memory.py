"""Running out of memory, explained: in which batch, or while encoding, and the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from omegaconf import DictConfig

from bench.errors import RunError
from elmo_core.errors import ran_out_of_memory
from tasks.task import Example, Task

ENCODING = (
    "out of memory while features are encoded, the longest sentences first: close other programs, "
    "take a smaller encoder, or trainer=cpu"
)

LOADING = (
    "out of memory while the encoder is loaded: close other programs, take another GPU "
    "(CUDA_VISIBLE_DEVICES=1) or a smaller encoder, or trainer=cpu"
)


@contextmanager
def explained(cfg: DictConfig, advice: Callable[[], str]) -> Iterator[None]:
    """Inside, running out of memory raises a RunError; other errors go through.

    Args:
        cfg: The run's configuration.
        advice: Says what was being done, and the way out.
    """
    try:
        yield
    except RunError:  # which may be this one, told already
        raise
    except (RuntimeError, MemoryError) as error:
        if not ran_out_of_memory(error):
            raise
        instead = ", or features=auto" if cfg.features.mode == "gpu" else ""
        raise RunError(f"{advice()}{instead}") from None


def of_batch(task: Task, examples: Sequence[Example]) -> str:
    """Say that the batch of these examples takes too much; there are none before the first."""
    if not examples:
        return "out of memory before the first batch: close other programs, or use less data"
    longest = max(examples, key=task.size)
    return (
        f"out of memory in a batch of {len(examples)}, whose longest example, "
        f"{longest['id']}, has {task.size(longest)} tokens: lower training.batch_size"
    )
