"""What a training is done in, and where its checkpoints go on; more tests where they are used."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch

from elmo_core import lightning
from elmo_core.errors import CheckpointError


@pytest.mark.parametrize(
    ("asked", "accelerator", "gpu", "bfloat16", "taken"),
    [
        ("bf16-mixed", "cpu", False, True, "bf16-mixed"),
        ("bf16-mixed", "cpu", False, False, "32-true"),
        ("16-mixed", "auto", False, False, "32-true"),
        ("bf16-mixed", "cpu", True, False, "32-true"),
        ("bf16-mixed", "auto", True, False, "bf16-mixed"),
        ("16-mixed", "gpu", True, False, "16-mixed"),
        ("32-true", "cpu", False, False, "32-true"),
        ("64-true", "cpu", False, False, "64-true"),
    ],
)
def test_a_processor_without_bfloat16_trains_in_float32(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    asked: str,
    accelerator: str,
    gpu: bool,
    bfloat16: bool,
    taken: str,
) -> None:
    monkeypatch.setattr(lightning, "multiplies_bfloat16", lambda: bfloat16)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert lightning.training_precision(asked, accelerator) == taken
    assert (f"precision {asked}: trains in 32-true" in caplog.text) == (taken != asked)


def test_a_checkpoint_of_a_gpu_goes_on_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "last.ckpt"
    with monkeypatch.context() as patched:
        patched.setattr(torch.serialization, "location_tag", lambda _: "cuda:0")
        written = {"state_dict": {"w": torch.ones(2)}, "global_step": 1}
        lightning.SafeCheckpointIO().save_checkpoint(written, path)
    with pytest.raises(CheckpointError):  # as it lies there, it is the GPU's
        lightning.read_checkpoint(path, "cuda:0")
    content = lightning.SafeCheckpointIO().load_checkpoint(path, weights_only=None)
    assert content["state_dict"]["w"].tolist() == [1.0, 1.0]


def test_a_checkpoint_does_not_go_through_the_system_s_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which may be small, and lies on another disk."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    path = tmp_path / "last.ckpt"
    lightning.SafeCheckpointIO().save_checkpoint({"state_dict": {}, "global_step": 1}, path)
    assert lightning.read_checkpoint(path)["global_step"] == 1


def test_numbers_of_numpy_s_are_read_again(tmp_path: Path) -> None:
    """As a task's scores and a schedule's rates may be; torch reads none without running code."""
    path, state = tmp_path / "last.ckpt", torch.nn.Linear(2, 2).state_dict()
    epoch = {"lr": np.float64(0.5), "dev": {"f1": np.float32(50)}, "steps": (np.int64(3),)}
    written = {"state_dict": state, "global_step": 1, "history": [epoch]}
    lightning.SafeCheckpointIO().save_checkpoint(written, path)
    content = lightning.read_checkpoint(path)
    assert content["history"] == [{"lr": 0.5, "dev": {"f1": 50.0}, "steps": (3,)}]
    assert content["state_dict"].keys() == state.keys()
    assert type(epoch["lr"]) is np.float64  # what was given is as it was
