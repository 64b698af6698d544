"""One run id, one number, whichever way its features come."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.evaluate.__main__ import main as evaluate
from bench.overrides import composed
from bench.run.features import shared_store
from elmo_core import load_encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.prepare import prepare
from tests.bench.small import SMALL
from tests.bench.verbs import said

MODES = {
    "store": ("features=store",),
    "auto": ("features=auto",),
    "memory": ("features=auto", "features.max_gb=1e-9"),
    "live": ("features=live",),
}


def losses(folder: Path) -> list[float]:
    history: list[dict[str, Any]] = json.loads((folder / "result.json").read_text())["history"]
    return [epoch["train_loss"] for epoch in history]


def test_live_is_as_stored(small: Callable[..., Path], tmp_path: Path) -> None:
    # SNLI's layer norm would hide layers that differ by a factor.
    run = ("elmo.placement=input", "elmo.layer_norm=false", "training.max_epochs=1")
    folders = {
        mode: small(*run, *words, f"features.dir={tmp_path / 'features' / mode}", runs=mode)
        for mode, words in MODES.items()
    }
    assert len({folder.name for folder in folders.values()}) == 1
    logs = {mode: (folder / "run.log").read_text() for mode, folder in folders.items()}
    assert "features: memory" in logs["memory"]
    assert "encoded live" in logs["live"]
    assert len({tuple(losses(folder)) for folder in folders.values()}) == 1


def test_held_on_a_gpu_it_is_as_stored(
    small: Callable[..., Path],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The GPU is made up: layers are held beside the model, which is on the CPU."""
    run = ("elmo.placement=input", "training.max_epochs=2", f"features.dir={tmp_path / 'features'}")
    stored = small(*run, "features=store", runs="stored")
    with monkeypatch.context() as patch:
        patch.setattr("bench.run.trainer.device_of", lambda _: "cuda:0")
        patch.setattr(torch.cuda, "mem_get_info", lambda _: (1 << 30, 1 << 31))
        patch.setattr("bench.run.run.check_usable", lambda _: None)
        held = small(*run, "features=gpu", runs="held")
    log = (held / "run.log").read_text()
    assert log.count("held on cpu") == 1
    assert log.index("held on cpu") < log.index("epoch 1") < log.index("features of test")
    assert held.name == stored.name
    assert losses(held) == losses(stored)
    assert (held / "predictions.jsonl").read_bytes() == (stored / "predictions.jsonl").read_bytes()
    status, _, err = said(capsys, evaluate, [held, f"data.dir={snli_folder}"])
    assert status == 0, err  # without that GPU


def test_runs_of_one_encoder_share_its_store_and_those_without_elmo_have_none(
    tmp_path: Path,
) -> None:
    stores: dict[str, FeatureStore] = {}
    words = [*SMALL, f"features.dir={tmp_path}"]
    first, again, without = (
        shared_store(composed([*words, f"elmo.placement={placement}"]), stores)
        for placement in ("input", "output", "none")
    )
    assert first is not None
    assert again is first
    assert without is None


def test_without_a_gpu_it_says_what_to_do(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["features=gpu", f"paths.runs={tmp_path}", "data.dir=/not/read"]
    assert bench(*SMALL, *words) == 2
    error = "error: features=gpu: needs a CUDA GPU, and the run is on cpu: features=auto\n"
    assert capsys.readouterr().err == error


@pytest.mark.slow
def test_the_same_in_fresh_processes(snli_folder: Path, tmp_path: Path) -> None:
    found = {}
    for mode, words in MODES.items():
        run = [*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path / mode}", *words]
        run += ["elmo.placement=input", f"features.dir={tmp_path / mode / 'features'}"]
        cache = {**os.environ, "ELMO_BENCH_CACHE": str(tmp_path / mode / "cache")}
        subprocess.run([sys.executable, "-m", "bench", *run], check=True, env=cache)
        (folder,) = (tmp_path / mode).glob("snli/*")
        found[mode] = (folder.name, *losses(folder), (folder / "head.safetensors").read_bytes())
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("mode", ["store", "auto", "live"])
def test_making_features_ready_draws_nothing(mode: str, tmp_path: Path) -> None:
    encoder = load_encoder("elmo-mini")
    before = torch.get_rng_state()
    prepare(FeatureStore(encoder, tmp_path), [["Hello", "there"]], of="a test", mode=mode)
    assert torch.equal(torch.get_rng_state(), before)
