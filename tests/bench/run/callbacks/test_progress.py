"""What the console says of an epoch before it has ended."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bench.run.callbacks import progress


@pytest.mark.parametrize(
    ("scores", "said"),
    [([], ""), ([48.0], ", dev so far 48.00"), ([48, 52, 51], ", dev so far 52.00")],
)
def test_the_best_score_of_all_epochs(
    scores: list[float], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those before the run was interrupted, too: another process's."""
    counted: list[tuple[Any, ...]] = []
    monkeypatch.setattr(progress, "Counter", lambda *words: counted.append(words))
    trainer: Any = SimpleNamespace(
        current_epoch=len(scores), max_epochs=9, num_training_batches=4, is_global_zero=True
    )
    history = [{"dev": {"f1": score, "recall": 99.0}} for score in scores]
    module = SimpleNamespace(history=history, task=SimpleNamespace(metric="f1"))
    progress.EpochProgress().on_train_epoch_start(trainer, module)
    ((epoch, total, _, _, news),) = counted
    assert (epoch, total, news) == (f"epoch {len(scores) + 1}/9", 4, said)
