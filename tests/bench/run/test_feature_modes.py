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

from elmo_core import load_encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.prepare import prepare
from tests.bench.small import SMALL

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
    run = ("elmo.placement=input", "training.max_epochs=1")
    folders = {
        mode: small(*run, *words, f"features.dir={tmp_path / 'features' / mode}", runs=mode)
        for mode, words in MODES.items()
    }
    assert len({folder.name for folder in folders.values()}) == 1
    said = {mode: (folder / "run.log").read_text() for mode, folder in folders.items()}
    assert "features: memory" in said["memory"]
    assert "encoded live" in said["live"]
    assert len({tuple(losses(folder)) for folder in folders.values()}) == 1


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
