"""Training that leaves the numbers ends in one line, also where no later loss would show it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.run.divergence import check_output
from bench.run.module import BenchModule
from tests.bench.small import SMALL


@pytest.fixture
def one_update(bench: Callable[..., int], snli_folder: Path, tmp_path: Path) -> Callable[[], int]:
    """A run of a single update; its exit status."""
    words = ("elmo.placement=none", "training.max_epochs=1", "training.batch_size=60")
    places = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    return lambda: bench(*SMALL, *words, *places)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_an_update_that_leaves_no_numbers(
    number: float,
    one_update: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def spoiled(self: BenchModule, *_: Any) -> None:
        with torch.no_grad():
            next(p for p in self.model.parameters() if p.requires_grad).fill_(number)

    monkeypatch.setattr(BenchModule, "on_train_batch_end", spoiled)
    assert one_update() == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
    assert "is not finite after epoch 1: try a lower training.optimizer.lr" in line
    assert not list(tmp_path.glob("runs/snli/*/checkpoints/*"))


def test_scores_that_are_none(
    one_update: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    forward = torch.nn.Module.__call__

    def spoiled(self: Any, *arguments: Any) -> Any:
        output = forward(self, *arguments)
        if isinstance(output, dict) and not self.training:
            output["logits"] = output["logits"] * float("nan")
        return output

    monkeypatch.setattr(torch.nn.Module, "__call__", spoiled)
    assert one_update() == 2
    assert "the model's logits are NaN: try a lower" in capsys.readouterr().err


def test_masks_and_unknown_labels_are_no_fault() -> None:
    nan, masked = torch.tensor(float("nan")), torch.tensor([0.0, -float("inf")])
    check_output({"loss": nan, "start": masked, "mask": torch.tensor([True])})
