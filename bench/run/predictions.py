"""What a model says about examples, as predictions.jsonl has it, the scores of that, and those of
trivial baselines: plain numbers, whatever a task computes with."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Sequence

from datasets import Dataset
from torch import Tensor

from bench.errors import RunError
from tasks.task import Example, Task

log = logging.getLogger(__name__)


def predictions(
    task: Task, output: dict[str, Tensor], examples: Sequence[Example]
) -> list[Example]:
    """Return the task's predictions, each with what the task says of its example: the `cluster`,
    the `slices`, and how the prediction is `drawn`."""
    rows = task.predict(output, examples)
    told = [
        {
            **row,
            "cluster": task.cluster(example),
            "slices": task.slices(example),
            "drawn": task.drawn(example, row),
        }
        for row, example in zip(rows, examples, strict=True)
    ]
    try:
        json.dumps(told)
    except TypeError as error:
        what = "the task's predictions must be plain values, as JSON has them (Task.predict)"
        raise RunError(f"{what}: {error}") from None
    return told


def scored(task: Task, rows: Sequence[Example]) -> dict[str, float]:
    """Return the task's metrics of a split's predictions.

    Raises RunError where one is not finite: no epoch could be chosen by it, and no record takes it.
    """
    metrics = {name: float(score) for name, score in task.score(rows).items()}
    for name, score in metrics.items():
        if not math.isfinite(score):
            raise RunError(
                f"the task's {name} is {score}: a score that is not defined must count as some "
                "number, such as 0 (Task.score)"
            )
    return metrics


def trivial(task: Task, train: Dataset, split: Dataset) -> dict[str, float]:
    """Return the scores on `split` of the task's trivial baselines, by what they are called.

    One that is not defined, such as the correlation of a constant, is told and left out.
    """
    scores = {name: float(score) for name, score in task.yardsticks(train, split).items()}
    for name, score in scores.items():
        if not math.isfinite(score):
            log.warning("trivial baseline %r is left out: its score is %s", name, score)
    return {name: score for name, score in scores.items() if math.isfinite(score)}
