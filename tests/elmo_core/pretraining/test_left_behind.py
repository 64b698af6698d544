"""What a training that ends unawares leaves behind, and what nobody writes over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytorch_lightning.trainer.connectors.signal_connector import _SignalConnector

from elmo_core import load_encoder
from elmo_core.bilm.options import Options
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.pretraining import folder
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.export import export
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.settings import Training, as_json
from elmo_core.pretraining.train import train
from tests.elmo_core.pretraining.conftest import EVERY, Killed, stop_at

Run = Callable[..., None]


def test_encoder_and_softmax_of_different_steps_are_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, calls = folder.write_bytes, []

    def dying(path: Path, content: bytes) -> None:
        calls.append(path)
        if len(calls) == 2:  # the second interval's softmax
            raise Killed
        write(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(folder, "write_bytes", dying)
        with pytest.raises(Killed):
            run(tmp_path / "out")
    with pytest.raises(WeightsError, match="encoder and softmax are of different steps"):
        folder.load(tmp_path / "out")
    run(tmp_path / "out")
    folder.load(tmp_path / "out")


@pytest.mark.parametrize("again", [False, True])
def test_what_was_kept_behind_the_checkpoint_is_set_aside(
    again: bool,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Unless the command keeps it anew: the training goes on otherwise from the checkpoint."""
    out, step = tmp_path / "out", EVERY + 1
    with monkeypatch.context() as patched:
        stop_at(patched, step + 1)
        with pytest.raises(Killed):
            run(out, keep=[step], epochs=0.24)
    before = load_encoder(f"{out}@{step}").fingerprint
    run(out, keep=[step] if again else [], epochs=0.12)
    said = capsys.readouterr().err
    if again:
        assert load_encoder(f"{out}@{step}").fingerprint != before
    else:
        assert f"{step}.safetensors: kept before training was stopped" in said
        with pytest.raises(WeightsError, match="kept were none"):
            load_encoder(f"{out}@{step}")


def test_lightning_does_not_answer_sigterm(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside the signal it waits for all processes, some of which wait for this one."""
    asked: list[int] = []
    monkeypatch.setattr(_SignalConnector, "_sigterm_notifier_fn", lambda *_: asked.append(1))

    def stopped(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(PretrainingModule, "training_step", stopped)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "out")
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # Lightning ignores it
    assert not asked


@pytest.mark.parametrize("name", ["encoder", "softmax", "steps/2"])
def test_an_export_replaces_no_file_of_another_model(
    name: str, run: Run, trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    model, target = trained(tmp_path / "model"), tmp_path / "other" / f"{name}.safetensors"
    run(tmp_path / "other", keep=[2], seed=7)
    before = target.read_bytes()
    with pytest.raises(OptionsError, match="a file of the model in"):
        export(model, target)
    assert target.read_bytes() == before


@pytest.mark.parametrize("name", [folder.OPTIONS, folder.VOCABULARY])
def test_what_a_user_wrote_is_not_replaced(
    name: str, prepared: Path, options: Options, training: Training, tmp_path: Path
) -> None:
    mine = tmp_path / "out" / name
    mine.parent.mkdir()
    mine.write_text(json.dumps(as_json(options, training)))
    with pytest.raises(OptionsError, match=f"{name}: the model's own would replace it"):
        train(prepared, mine.parent, options, replace(training, epochs=0.05), accelerator="cpu")
    assert json.loads(mine.read_text()) == as_json(options, training)


@pytest.mark.parametrize("said", ["CUDA out of memory.", "[..] can't allocate memory: 9 bytes"])
def test_out_of_memory_is_told(
    said: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise RuntimeError(said)

    monkeypatch.setattr(PretrainingModule, "training_step", full)
    with pytest.raises(TrainingError, match="out of memory: lower"):
        run(tmp_path / "out")


def test_half_written_files_are_removed(
    run: Run, trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    with subprocess.Popen(["true"]) as dead:
        pass
    out = trained(tmp_path / "out")
    left = out / f".last.ckpt.0123abcd.{dead.pid}.tmp"
    left.write_text("half of it")
    run(out)
    assert not left.exists()
