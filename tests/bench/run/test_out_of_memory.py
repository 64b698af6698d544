"""What a run says that ran out of memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import OmegaConf

from bench.errors import RunError
from bench.run.out_of_memory import explained, of_batch
from tasks.snli import SNLI
from tasks.snli.model import ESIM
from tests.bench.small import SMALL

Bench = Callable[..., int]

CFG = OmegaConf.create({"features": {"mode": "auto"}})
GPU = OmegaConf.create({"features": {"mode": "gpu"}})


def test_the_longest_example_is_named() -> None:
    task = SNLI(word_dim=4, hidden=4)
    batch = [{"id": str(size), "premise": ["a"] * size, "hypothesis": ["b"]} for size in (2, 9, 4)]
    said = of_batch(task, batch)
    assert f"in a batch of 3, whose longest example, 9, has {task.size(batch[1])} tokens" in said
    assert "before the first batch" in of_batch(task, [])


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory"),
    ],
)
def test_what_allocators_say_is_explained(error: Exception) -> None:
    with pytest.raises(RunError, match=r"^lower it$"), explained(CFG, lambda: "lower it"):
        raise error
    with pytest.raises(RunError, match=r"or features=auto$"), explained(GPU, lambda: "lower it"):
        raise error


def test_other_errors_go_through() -> None:
    with pytest.raises(RuntimeError, match="shapes"), explained(CFG, lambda: "lower it"):
        raise RuntimeError("shapes cannot be multiplied")
    with pytest.raises(RunError, match="told already"), explained(CFG, lambda: "lower it"):
        raise RunError("told already: out of memory")


@pytest.fixture
def told(
    bench: Bench, snli_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[[], str]:
    """What a run says of its error."""

    def of_run() -> str:
        words = ["elmo.placement=input", f"data.dir={snli_folder}", f"paths.runs={tmp_path}"]
        assert bench(*SMALL, *words) == 2
        return capsys.readouterr().err

    return of_run


def test_the_longest_example_and_the_knob_are_named(
    told: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> torch.Tensor:
        return torch.empty(1 << 60)  # more than any address space

    monkeypatch.setattr(ESIM, "forward", full)
    shown = told()
    assert "out of memory" in shown
    assert "longest example, train" in shown
    assert "training.batch_size" in shown


def test_before_anything_is_encoded(
    told: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")

    monkeypatch.setattr("bench.run.run.encoder_of", full)
    assert "error: out of memory while the encoder is loaded" in told()


@pytest.mark.parametrize("split", ["train", "test"])
def test_while_encoding_no_batch_is_blamed(
    told: Callable[[], str], monkeypatch: pytest.MonkeyPatch, split: str
) -> None:
    def full(*given: Any) -> None:
        if split in given:
            torch.empty(1 << 60)

    monkeypatch.setattr("bench.run.features.fill", full)
    shown = told()
    assert "error: out of memory while features are encoded" in shown
    assert "training.batch_size" not in shown
