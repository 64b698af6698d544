"""What a task may promise to probes: a control task, and how likely its labels are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_core import Placement
from tasks.task import NotProbed, Task
from tests.tasks.every_task import names


@names
def test_a_control_task_changes_gold_alone(
    name: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, train = ready(name)
    try:
        relabel = task.control(train, seed=1)
    except NotProbed as reason:
        pytest.skip(str(reason))
    examples = [train[i] for i in range(8)]
    changed = [relabel(example) for example in examples]
    assert [each["id"] for each in changed] == [example["id"] for example in examples]
    assert list(map(task.sentences, changed)) == list(map(task.sentences, examples))
    assert changed != examples
    assert changed == [relabel(example) for example in examples]
    placement = Placement("none", 0, 0)
    with torch.no_grad():
        output = task.model(placement)(task.collate(changed), None)
    predicted = task.predict(output, changed)
    right = [{**row, "prediction": row["gold"]} for row in predicted]
    assert task.score(right)[task.metric] == pytest.approx(100)


@names
def test_surprisals_are_those_of_the_labels(
    name: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    """Of a model that finds all labels equally likely, each takes log₂ of their number."""
    task, train = ready(name)
    examples = [train[i] for i in range(8)]
    model = task.model(Placement("none", 0, 0)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        output = model(task.collate(examples), None)
    try:
        surprisals = task.surprisals(output, examples)
    except NotProbed as reason:
        pytest.skip(str(reason))
    assert len(surprisals) == len(examples)
    bits = [each for of_example in surprisals for each in of_example]
    assert bits == pytest.approx([math.log2(len(task.labels))] * len(bits))
    assert output["loss"].item() == pytest.approx(sum(bits) / len(bits) * math.log(2))
