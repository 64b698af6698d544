"""What a task says of a split, made plain: predictions, and the scores of trivial baselines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from datasets import Dataset

from bench.errors import RunError
from bench.run.predictions import predictions, trivial


@pytest.mark.parametrize("value", [torch.tensor(1.5), np.float32(1.5), {1}])
def test_predictions_that_json_cannot_hold_are_told_at_once(value: Any) -> None:
    rows = [("a", None), ("b", value)]
    task: Any = SimpleNamespace(
        predict=lambda *_: [{"id": id_, "gold": 1, "prediction": v} for id_, v in rows],
        cluster=lambda _: "a",
        slices=lambda _: {},
        drawn=lambda *_: {},
    )
    with pytest.raises(RunError, match=r"must be plain values.* is not JSON serializable"):
        predictions(task, {}, [{"id": "a"}, {"id": "b"}])


def test_a_trivial_baseline_that_is_not_defined_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As the correlation of a constant is: no record takes it."""
    task: Any = SimpleNamespace(yardsticks=lambda *_: {"the mean": float("nan"), "one": 1})
    assert trivial(task, Dataset.from_list([]), Dataset.from_list([])) == {"one": 1.0}
    assert "'the mean' is left out: its score is nan" in caplog.text
