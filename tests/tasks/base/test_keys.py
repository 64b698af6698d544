"""The keys of a task that are no hyperparameters of its model are checked as those are."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.coref.task import Coref
from tasks.neighbours.task import Neighbours
from tasks.squad.task import SQuAD
from tasks.sst5.task import SST5
from tasks.task import Task
from tasks.wsd.task import WSD


@pytest.mark.parametrize(
    ("task", "key", "value", "wanted"),
    [
        (SQuAD, "longest_answer", 0, "a whole number from 1"),
        (SQuAD, "longest_paragraph", -3, "a whole number from 1"),
        (SQuAD, "longest_word", 0, "a whole number from 1"),
        (SST5, "phrases", "no", "true or false"),
        (SST5, "min_phrase", -4, "a whole number from 1"),
        (Coref, "drop_singletons", "no", "true or false"),
        (WSD, "held_out", 2.5, "a whole number from 1"),
        (Neighbours, "uses", 1.5, "a whole number from 1"),
    ],
)
def test_keys_of_a_wrong_kind(task: type[Task], key: str, value: Any, wanted: str) -> None:
    with pytest.raises(ValueError, match=f"task.{key}={value}: must be {wanted}"):
        task(**{key: value})
