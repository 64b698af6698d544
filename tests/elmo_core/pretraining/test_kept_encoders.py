"""Encoders of earlier steps, kept beside what became of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core import load_encoder
from elmo_core.errors import WeightsError
from elmo_core.lightning import SafeCheckpointIO
from elmo_core.pretraining.corpus import Window
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.module import PretrainingModule
from tests.elmo_core.pretraining.conftest import EVERY, steps


def test_encoders_of_earlier_steps(run: Callable[..., None], tmp_path: Path) -> None:
    run(tmp_path / "whole", keep=[2, EVERY])
    run(tmp_path / "half", epochs=0.02)
    encoder = load_encoder(f"{tmp_path / 'whole'}@{EVERY}")
    assert encoder.name == f"whole@{EVERY}"
    first, last = (load_encoder(f"{tmp_path / 'whole'}{at}") for at in ("@2", ""))
    prints = {it.fingerprint for it in (encoder, first, last)}
    assert len(prints) == 3
    with pytest.raises(WeightsError, match=f"no encoder of step 1; kept were 2, {EVERY}$"):
        load_encoder(f"{tmp_path / 'whole'}@1")
    with pytest.raises(WeightsError, match="kept were none"):
        load_encoder(f"{tmp_path / 'half'}@2")


def test_a_kept_encoder_is_that_of_its_step(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the next step begins with, in float16, as it is kept."""
    seen: dict[int, dict[str, torch.Tensor]] = {}
    step = PretrainingModule.training_step

    def noted(self: PretrainingModule, window: Window, index: int) -> torch.Tensor:
        state = self.model.bilm.state_dict()
        seen[self.global_step] = {name: tensor.half().float() for name, tensor in state.items()}
        return step(self, window, index)

    monkeypatch.setattr(PretrainingModule, "training_step", noted)
    run(tmp_path / "out", keep=[2, EVERY])
    for number in (2, EVERY):
        kept = load_encoder(f"{tmp_path / 'out'}@{number}").bilm.state_dict()
        assert kept.keys() == seen[number].keys()
        assert all(torch.equal(kept[name], tensor) for name, tensor in seen[number].items())


def test_steps_that_cannot_be_kept(run: Callable[..., None], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(TrainingError, match="--keep 5000: the training ends after"):
        run(out, keep=[2, 5000])
    assert not out.exists()
    run(out, keep=[2])
    done = steps(out)
    run(out, keep=[2])  # done already, and kept
    run(out, keep=[2, done + 1], epochs=0.24)
    assert load_encoder(f"{out}@{done + 1}").name == f"out@{done + 1}"
    with pytest.raises(TrainingError, match=r"--keep 1: .* was not kept: .*another folder$"):
        run(out, keep=[1, 2], epochs=0.24)


def test_an_encoder_is_kept_before_the_checkpoint_passes_it(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = SafeCheckpointIO.save_checkpoint

    def dying(*arguments: Any, **options: Any) -> None:
        save(*arguments, **options)
        raise SystemError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(SafeCheckpointIO, "save_checkpoint", dying)
        with pytest.raises(SystemError):
            run(tmp_path / "out", keep=[EVERY])
    assert load_encoder(f"{tmp_path / 'out'}@{EVERY}").dim > 0
    run(tmp_path / "out", keep=[EVERY])
