"""What a model says about examples, as predictions.jsonl has it."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from tasks.task import Example, Task


def predictions(
    task: Task, output: dict[str, Tensor], examples: Sequence[Example]
) -> list[Example]:
    """Return the task's predictions, each with what the task says of its example: the `cluster`,
    the `slices`, and how the prediction is `drawn`."""
    rows = task.predict(output, examples)
    return [
        {
            **row,
            "cluster": task.cluster(example),
            "slices": task.slices(example),
            "drawn": task.drawn(example, row),
        }
        for row, example in zip(rows, examples, strict=True)
    ]
