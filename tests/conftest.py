"""What tests share: a cache of their own, composed configurations, a small SNLI folder."""

from __future__ import annotations

import atexit
import gc
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig

from bench import config
from bench.__main__ import main
from tests.devices.pretended import AVAILABLE, Traffic, pretended, register

if AVAILABLE:
    register()

TINY_ENCODER = (
    "encoder=random",
    "encoder.shape={lstm:{cell_clip:3,use_skip_connections:true,n_layers:2,proj_clip:3,"
    "projection_dim:8,dim:16},char_cnn:{embedding:{dim:4},filters:[[1,8],[2,8]],n_highway:1,"
    "n_characters:262,max_characters_per_token:50,activation:relu}}",
)


SHARED = Path(os.environ.get("ELMO_BENCH_SHARED", Path(__file__).parents[2] / "shared"))


def shared(name: str) -> Path:
    """A file of the reference data that lies beside the repository; skips the test without it."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"no reference data at {path} (set ELMO_BENCH_SHARED)")
    return path


def pytest_collection_finish() -> None:
    """What the tests have imported stays: the collections that each run ends with pass it by."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Untrained weights are the same at every run of a test: before its fixtures, of any scope."""
    torch.manual_seed(0)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is read from or written to the user's cache; nothing is fetched from a hub. The
    processes of `pytest -n` share one cache."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMO_BENCH_CACHE", str(folder / "cache"))
        patch.setenv("WANDB_MODE", "offline")
        patch.setenv("HF_HUB_OFFLINE", "1")  # of processes that tests start
        # In this one it is read once, at the library's import.
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(folder / "hub"))
        for name in [name for name in os.environ if name.startswith("SLURM_")]:
            if name != "SLURM_CONF":  # which tests/cluster needs
                patch.delenv(name)  # of the job that the tests run in
        yield


@pytest.fixture(scope="session")
def configured() -> Callable[..., DictConfig]:
    """`configured("task=snli", …)`: the configuration that these overrides compose."""

    def composed(*overrides: str) -> DictConfig:
        config.register()
        with initialize_config_dir(str(config.CONF), version_base="1.3"):
            return compose("config", overrides=list(overrides))

    return composed


def front_door(*arguments: str) -> int:
    """Do in this process what `python -m bench` does on these words; return its exit status."""
    GlobalHydra.instance().clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["bench", *arguments])
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0)
    return 0


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """`bench("task=snli", …)`: what `python -m bench task=snli …` does, in this process, as on a
    machine of one core; returns its exit status."""
    monkeypatch.setattr("bench.sweep.cores.usable_cores", lambda: 1)

    return front_door


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    """`threads(2)`: torch has so many until the test ends."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def snli_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learnable toy in SNLI's format: 60 training pairs, 20 dev, 20 test."""
    folder = tmp_path_factory.mktemp("snli")
    drawn = random.Random(0)
    second = {"entailment": "Somebody {}", "neutral": "Perhaps he {}", "contradiction": "Nobody {}"}
    for split, size in (("train", 60), ("dev", 20), ("test", 20)):
        with (folder / f"snli_1.0_{split}.jsonl").open("w") as file:
            for i in range(size):
                verb = drawn.choice(["sleeps.", "is eating in the park.", "runs fast.", "sings."])
                label, template = drawn.choice(list(second.items()))
                pair = {
                    "gold_label": label,
                    "sentence1": f"A man {verb}",
                    "sentence2": template.format(verb),
                    "pairID": f"{split}{i}",
                }
                file.write(json.dumps(pair) + "\n")
    return folder


@pytest.fixture
def local_downloads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Downloads come from this machine, without waiting, into a cache of the test's own."""
    monkeypatch.setattr("elmo_core.downloads.fetch.BACK_OFF", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


@pytest.fixture
def accelerator() -> Iterator[tuple[torch.device, Traffic]]:
    """The pretended accelerator, and the traffic between it and the CPU."""
    if not AVAILABLE:
        pytest.skip("a device is pretended by torch 2.9 and later, where there is no real one")
    with pretended() as device_and_traffic:
        yield device_and_traffic
