"""A GPU a run: which one each gets, and when; no GPU is needed for that."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from omegaconf import DictConfig

from bench.errors import ConfigError
from bench.run.build import device_of
from bench.sweep import gpus, needs
from tests.bench.small import SMALL
from tests.bench.sweep.pretended import Pretended, pretend

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> type[Pretended]:
    return pretend(monkeypatch, "CUDA_VISIBLE_DEVICES")


@pytest.fixture
def swept(bench: Callable[..., int], tmp_path: Path) -> Callable[..., int]:
    def call(*words: str) -> int:
        given = [*SMALL, "elmo.placement=none", f"paths.runs={tmp_path}", "hydra/launcher=gpus"]
        return bench("-m", *given, *words)

    return call


def test_the_next_run_goes_to_the_next_free_gpu(
    swept: Callable[..., int], commands: type[Pretended], capsys: Shown
) -> None:
    assert swept("hydra.launcher.gpus=[0,3]", "seed=3,1,8,2") == 2
    assert commands.noted == ["seed 3 0", "seed 1 3", "seed 8 3", "seed 2 0"]
    assert commands.most == 2
    said = capsys.readouterr().err
    assert re.search(r"\[1/4\] snli · seed 1: seed 1 is nothing, \d+ s on GPU 3", said)
    assert re.search(r"\[4/4\] snli · seed 8: seed 8 is nothing, \d+ s on GPU 3", said)


def test_several_runs_share_a_gpu(
    swept: Callable[..., int], commands: type[Pretended], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,GPU-5")
    assert swept("hydra.launcher.per_gpu=2", "seed=4,5,6,7,1") == 2
    assert commands.most == 4
    assert [line.rpartition(" ")[2] for line in commands.noted[:4]] == ["2", "GPU-5", "2", "GPU-5"]


def test_a_run_of_several_processes_is_refused(
    swept: Callable[..., int], commands: type[Pretended], capsys: Shown
) -> None:
    assert swept("hydra.launcher.gpus=[0,1]", "trainer.devices=2", "seed=4,5") == 2
    assert commands.noted == []
    assert "error: hydra/launcher=gpus: gives each run one GPU" in capsys.readouterr().err


def test_the_plan_counts_the_runs_at_once(swept: Callable[..., int], capsys: Shown) -> None:
    words = ("hydra.launcher.gpus=[0,1]", "hydra.launcher.per_gpu=2", "trainer=cpu", "plan=true")
    assert swept(*words, "seed=4,5,6") == 0
    assert "for 3 runs, 3 at once (" in capsys.readouterr().out


def test_what_is_running_stops_with_the_sweep(
    swept: Callable[..., int], commands: type[Pretended]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        swept("hydra.launcher.gpus=[0,1]", "seed=99,9")
    assert commands.noted[-1] == "seed 99 stopped"


def test_a_sweeper_that_names_no_runs_starts_nothing(
    swept: Callable[..., int], commands: type[Pretended], capsys: Shown
) -> None:
    assert swept("hydra/sweeper=basic", "hydra.launcher.gpus=[0]", "seed=1,2") == 2
    assert commands.noted == []
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: hydra/launcher=gpus: needs to know the runs")


def test_without_a_gpu_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(ConfigError, match=r"no GPU is found here; hydra\.launcher\.gpus=\[0,1\]"):
        gpus.found(None)


def test_without_a_gpu_no_experiment_is_recorded(
    bench: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    runs = f"paths.runs={tmp_path / 'runs'}"
    words = ("experiment=table2", *SMALL, "data=mini", "hydra/launcher=gpus", runs)
    assert bench(*words) == 2
    assert "no GPU is found here" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hydra.launcher.per_gpu=0", "must be a whole number from 1"),
        ("hydra.launcher.per_gpu=two", "must be a whole number from 1"),
        ("hydra.launcher.gpus=1.5", "must be numbers of GPUs, such as [0,1]"),
        ("hydra.launcher.gpus=[true]", "must be numbers of GPUs, such as [0,1]"),
    ],
)
def test_a_key_that_makes_no_sense_starts_nothing(
    swept: Callable[..., int], commands: type[Pretended], capsys: Shown, word: str, expected: str
) -> None:
    given = () if ".gpus=" in word else ("hydra.launcher.gpus=[0]",)
    assert swept(*given, word, "seed=1,2") == 2
    assert commands.noted == []
    key, last = word.partition("=")[0], capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"error: {key}=")
    assert last.endswith(f": {expected}")


def test_one_gpu_needs_no_brackets(swept: Callable[..., int], commands: type[Pretended]) -> None:
    assert swept("hydra.launcher.gpus=0", "seed=1,2") == 2
    assert commands.noted == ["seed 1 0", "seed 2 0"]


def test_runs_on_gpus_share_the_cores(
    swept: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = pretend(monkeypatch, "OMP_NUM_THREADS")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(gpus, "usable_cores", lambda: 8)
    assert swept("hydra.launcher.gpus=[0,1]", "hydra.launcher.per_gpu=2", "seed=4,5,6,7") == 2
    assert commands.noted == [f"seed {n} 2" for n in (4, 5, 6, 7)]


@pytest.mark.parametrize("apart", [False, True])
def test_an_encoder_that_has_no_room_here_is_its_runs_matter(
    configured: Any, monkeypatch: pytest.MonkeyPatch, apart: bool
) -> None:
    """The sweep leaves the GPUs to the runs, and does not end with what only one of them meets."""
    asked = []

    def full(cfg: DictConfig) -> None:
        asked.append(device_of(cfg))
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(needs, "encoder_of", full)
    monkeypatch.setattr(needs.Needs, "data", lambda self, cfg: None)
    cfg = configured("task=snli", "elmo.placement=input", "trainer.accelerator=auto")
    jobs: Any = [SimpleNamespace(cfg=cfg, cells=["a run"])] * 2
    needs.require(jobs, here=True, apart=apart)
    assert asked == ["cpu" if apart else "cuda:0"]


@pytest.mark.parametrize("visible", ["", "-1", "NoDevFiles"])
def test_no_gpu_is_no_gpu(visible: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with pytest.raises(ConfigError, match="no GPU is found here"):
        gpus.found(None)
