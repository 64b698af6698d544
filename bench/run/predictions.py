"""What a model says about examples, as predictions.jsonl has it."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from tasks.task import Example, Task


def predictions(
    task: Task, output: dict[str, Tensor], examples: Sequence[Example]
) -> list[Example]:
    """Return the task's predictions, each with the `cluster` of its example."""
    rows = task.predict(output, examples)
    return [
        {**row, "cluster": task.cluster(example)}
        for row, example in zip(rows, examples, strict=True)
    ]
