"""Training end to end, and what happens when it is interrupted."""

from __future__ import annotations

import json
import math
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core import lightning, load_encoder
from elmo_core.bilm.options import Options
from elmo_core.errors import OptionsError
from elmo_core.locks import locked
from elmo_core.pretraining import folder, loop
from elmo_core.pretraining.corpus import Window
from elmo_core.pretraining.errors import CorpusError, TrainingError
from elmo_core.pretraining.export import export
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.perplexity import measure_text
from elmo_core.pretraining.prepare import REPORT, VOCABULARY
from elmo_core.pretraining.progress import read_log
from elmo_core.pretraining.settings import Training, as_json
from elmo_core.pretraining.train import train
from tests.elmo_core.pretraining.conftest import EVERY, Killed, assert_same, state, steps, stop_at
from tests.processes import wait_for


def test_from_text_to_encoder(run: Callable[..., None], prepared: Path, tmp_path: Path) -> None:
    run(tmp_path / "model", every=60, epochs=1.5)
    model, vocabulary, _ = folder.load(tmp_path / "model")
    heldout = [prepared / "heldout"]
    uniform = len(vocabulary)
    found = measure_text(model, vocabulary, heldout)
    assert found.average < uniform / 4
    rows = (tmp_path / "model" / "log.csv").read_text().splitlines()
    assert rows[0].startswith("step,tokens,train_perplexity,heldout_forward")
    assert float(rows[-1].split(",")[5]) == pytest.approx(found.average, abs=0.002)

    sentences = [["the", "cat", "sees", "Zanzibar", "."], ["."]]
    export(tmp_path / "model", tmp_path / "published")
    export(tmp_path / "model", tmp_path / "own.safetensors")
    export(tmp_path / "model", tmp_path / "half.safetensors", half=True)
    direct = load_encoder(tmp_path / "model")
    for name in ("published", "own.safetensors"):
        exported = load_encoder(tmp_path / name)
        assert exported.fingerprint == direct.fingerprint
        for a, b in zip(exported.encode(sentences), direct.encode(sentences), strict=True):
            assert torch.equal(a, b)
    half = load_encoder(tmp_path / "half.safetensors").encode(sentences)
    torch.testing.assert_close(half, direct.encode(sentences), atol=0.01, rtol=0.01)


@pytest.mark.parametrize("optimizer", ["adam", "adagrad"])
def test_a_training_that_died_ends_where_it_would_have_ended(
    run: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    optimizer: str,
) -> None:
    run(tmp_path / "whole", optimizer=optimizer)
    with monkeypatch.context() as patched:
        stop_at(patched, 2 * EVERY + 1)
        with pytest.raises(Killed):
            run(tmp_path / "broken", optimizer=optimizer)
    steps = []
    original = PretrainingModule.training_step

    def noted(self: PretrainingModule, window: Window, index: int) -> torch.Tensor:
        steps.append(self.global_step)
        return original(self, window, index)

    monkeypatch.setattr(PretrainingModule, "training_step", noted)
    run(tmp_path / "broken", optimizer=optimizer)
    assert steps[0] == 2 * EVERY
    assert_same(tmp_path / "broken", tmp_path / "whole")
    steps.clear()
    capsys.readouterr()
    run(tmp_path / "broken", optimizer=optimizer)
    assert steps == []
    assert "steps were done before" in capsys.readouterr().err


def test_two_trainings_do_not_share_a_folder(run: Callable[..., None], tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with locked(out / loop.LOCK), pytest.raises(TrainingError, match="another process trains here"):
        run(out)
    assert not (out / loop.CHECKPOINT).exists()
    run(out)


@pytest.mark.parametrize("name", ["out", "out/encoder.safetensors"])
def test_an_export_does_not_overwrite_its_model(
    trained: Callable[[Path], Path], tmp_path: Path, name: str
) -> None:
    trained(tmp_path / "out")
    with pytest.raises(OptionsError, match="the model itself would be overwritten"):
        export(tmp_path / "out", tmp_path / "x" / ".." / name)
    shutil.copytree(tmp_path / "out", tmp_path / "other")
    with pytest.raises(OptionsError, match="other: holds a model, which would be read instead"):
        export(tmp_path / "out", tmp_path / "other")
    for model in ("out", "other"):
        assert "training" in json.loads((tmp_path / model / "options.json").read_text())


@pytest.mark.slow
def test_the_same_after_sigkill(
    prepared: Path, options: Options, training: Training, tmp_path: Path
) -> None:
    path = tmp_path / "options.json"
    path.write_text(json.dumps(as_json(options, replace(training, epochs=1.0))))
    command = [sys.executable, "-m", "elmo_core.pretraining", "train", str(prepared)]
    command += ["--options", str(path), "--every", "20", "--accelerator", "cpu", "-o"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True)
    broken = subprocess.Popen([*command, str(tmp_path / "broken")])
    log = tmp_path / "broken" / "log.csv"

    def epochs_are_logged() -> bool:
        return log.exists() and log.read_text().count("\n") > 2

    wait_for(lambda: epochs_are_logged() or broken.poll() is not None)
    broken.kill()
    assert broken.wait() == -signal.SIGKILL
    subprocess.run([*command, str(tmp_path / "broken")], check=True)
    assert_same(tmp_path / "broken", tmp_path / "whole")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch_size": 5}, "training.batch_size = 8, not 5"),
        ({"learning_rate": 0.5}, "training.learning_rate = 0.03, not 0.5"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(
    run: Callable[..., None],
    trained: Callable[[Path], Path],
    tmp_path: Path,
    changes: Any,
    message: str,
) -> None:
    trained(tmp_path / "out")
    before = state(tmp_path / "out")
    with pytest.raises(TrainingError, match=message):
        run(tmp_path / "out", **changes)
    assert all(torch.equal(t, before[name]) for name, t in state(tmp_path / "out").items())


def test_a_training_may_be_made_longer(
    run: Callable[..., None],
    trained: Callable[[Path], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rates = []
    original = PretrainingModule.training_step

    def noted(self: PretrainingModule, window: Window, index: int) -> torch.Tensor:
        rates.append(self.trainer.optimizers[0].param_groups[0]["lr"])
        return original(self, window, index)

    trained(tmp_path / "out")
    before = steps(tmp_path / "out")
    monkeypatch.setattr(PretrainingModule, "training_step", noted)
    run(tmp_path / "whole", epochs=0.24)
    whole = rates.copy()
    rates.clear()
    run(tmp_path / "out", epochs=0.24)
    assert steps(tmp_path / "out") >= 2 * before - 1
    assert rates == whole[before:]
    _, _, training = folder.load(tmp_path / "out")
    assert training.epochs == 0.24


def test_a_training_may_be_made_shorter_but_not_than_it_is(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        stop_at(patched, EVERY + 1)
        with pytest.raises(Killed):
            run(out, epochs=0.24)
    run(out, epochs=0.12)
    done, before = steps(out), state(out)
    assert done <= 3 * EVERY  # not twice as many
    with pytest.raises(TrainingError, match=f"already been trained for {done} steps.*another fold"):
        run(out, epochs=0.02)
    assert steps(out) == done
    assert all(torch.equal(t, before[name]) for name, t in state(out).items())


def test_a_gradient_that_is_no_number(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda *_: torch.tensor(math.inf))
    with pytest.raises(TrainingError, match="the gradient of step 1 is inf: train again"):
        run(tmp_path / "out")


def test_a_loss_that_is_no_number(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = loop.PretrainingModule.training_step

    def poisoned(self: PretrainingModule, window: Window, index: int) -> torch.Tensor:
        if self.global_step == EVERY + 1:
            torch.nn.init.constant_(self.model.softmax.bias, math.nan)
        return forward(self, window, index)

    with monkeypatch.context() as patched:
        patched.setattr(PretrainingModule, "training_step", poisoned)
        said = f"step {EVERY + 2} is nan; the last checkpoint.*learning_rate, in another folder$"
        with pytest.raises(TrainingError, match=said):
            run(tmp_path / "out")
    assert all(tensor.isfinite().all() for tensor in state(tmp_path / "out").values())
    run(tmp_path / "out")  # goes on from the last checkpoint


def test_a_loss_too_large_for_a_perplexity(
    run: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(PretrainingModule, "recent_loss", 1000.0)
    run(tmp_path / "out")
    assert "train perplexity inf" in capsys.readouterr().err
    assert {row["train_perplexity"] for row in read_log(tmp_path / "out")} == {"inf"}


@pytest.mark.parametrize("fails", ["checkpoint", "model"])
def test_a_full_disk_leaves_the_checkpoint_before(
    run: Callable[..., None],
    trained_once: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fails: str,
) -> None:
    calls = []

    def full(original: Callable[..., Any]) -> Callable[..., Any]:
        def write(*arguments: Any) -> Any:
            path = next(a for a in arguments if isinstance(a, Path))
            if fails == "model" and ".safetensors" not in path.name:
                return original(*arguments)
            calls.append(path)
            if len(calls) < (2 if fails == "checkpoint" else 4):  # of the second interval
                return original(*arguments)
            path.write_text("half of it")
            raise OSError(28, "No space left on device")

        return write

    with monkeypatch.context() as patched:
        if fails == "checkpoint":
            patched.setattr(lightning, "write_bytes", full(lightning.write_bytes))
        else:
            patched.setattr(Path, "write_bytes", full(Path.write_bytes))
        with pytest.raises(TrainingError, match=r"No space left.*\); the one before is still good"):
            run(tmp_path / "out")
    run(tmp_path / "out")
    assert_same(tmp_path / "out", trained_once)


def test_sampling_and_half_precision_learn_too(
    prepared: Path, options: Options, training: Training, tmp_path: Path
) -> None:
    changed = replace(training, n_negative_samples_batch=5, epochs=1.5)
    train(prepared, tmp_path / "out", options, changed, accelerator="cpu", precision="bf16-mixed")
    model, vocabulary, _ = folder.load(tmp_path / "out")
    assert measure_text(model, vocabulary, [prepared / "heldout"]).average < len(vocabulary) / 2
    assert all(p.dtype == torch.float32 for p in model.parameters())


def test_a_vocabulary_that_was_changed_by_hand(
    run: Callable[..., None], prepared: Path, tmp_path: Path
) -> None:
    (prepared / REPORT).unlink()  # which has a checksum of it
    words = (prepared / VOCABULARY).read_text()
    (prepared / VOCABULARY).write_text(words.replace("<S>\n", "", 1))
    with pytest.raises(CorpusError, match="the first three words must be"):
        run(tmp_path / "out")
    (prepared / VOCABULARY).write_text(words + "extra\n")
    with pytest.raises(CorpusError, match="another vocabulary"):
        run(tmp_path / "out")
