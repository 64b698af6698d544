"""What Lightning does not take is one line; who starts the processes of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.errors import ConfigError
from bench.overrides import composed
from bench.run.trainer import InPlaceDDP, alone, check_device, check_usable, trainer_of
from bench.world import started_together
from elmo_core.lightning import pl, starting
from tests.bench.small import SMALL


def test_a_job_of_more_tasks_than_processes(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in (("JOB_NAME", "train.sh"), ("NTASKS", "4")):
        monkeypatch.setenv(f"SLURM_{name}", value)
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path}")
    assert bench(*SMALL, *folders, "elmo.placement=none") == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: trainer: You set `--ntasks=4`")


@pytest.mark.parametrize("name", ["auto", "ddp", "ddp_find_unused_parameters_true"])
def test_several_processes_are_told_no_device(name: str) -> None:
    """With one, PyTorch would send all of a batch there, also the lengths."""
    options: dict[str, Any] = {"accelerator": "cpu", "devices": 2, "logger": False}
    strategy: Any = pl.Trainer(strategy=name, **options).strategy
    assert type(strategy) is InPlaceDDP
    ids: Any = strategy.determine_ddp_device_ids
    assert ids() is None


def test_more_processes_than_examples(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("bench.run.run.check_device", lambda _: None)
    words = (f"data.dir={snli_folder}", f"paths.runs={tmp_path}", "trainer.devices=99")
    assert bench(*SMALL, *words) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "error: trainer.devices: 99 processes, and dev has 20 examples: at most as many"


def test_a_gpu_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def old(*_: Any, **__: Any) -> None:
        raise RuntimeError("The NVIDIA driver on your system is too old")

    monkeypatch.setattr("bench.run.trainer.device_of", lambda _: "cuda:0")
    monkeypatch.setattr("torch.empty", old)
    with pytest.raises(ConfigError, match=r"too old; another GPU .*trainer=cpu"):
        check_usable(composed(["task=pos"]))


def test_one_process_is_on_the_runs_device(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"logger": False, "enable_checkpointing": False}
    cfg = composed(["task=pos", "trainer=cpu", "trainer.devices=-1"])
    assert trainer_of(cfg, [], devices=alone(cfg), **options).num_devices == 1
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 4)
    for devices, expected in (("'1,'", "1,"), ("'2,3'", "2,"), ("2", "0,"), ("-1", "0,")):
        assert alone(composed(["task=pos", f"trainer.devices={devices}"])) == expected


def test_processes_wait_on_their_own_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("torch.distributed.is_initialized", lambda: True)
    monkeypatch.setattr("torch.distributed.get_backend", lambda: "nccl")
    monkeypatch.setattr("torch.distributed.barrier", lambda **given: asked.append(given))
    monkeypatch.setattr(InPlaceDDP, "root_device", torch.device("cuda:3"))
    InPlaceDDP().barrier()
    assert asked == [{"device_ids": [3]}]


def test_in_a_slurm_job_of_one_task_lightning_starts_the_processes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By itself it takes the one task for all of them, and trains alone."""
    numbers = dict.fromkeys(("JOB_ID", "PROCID", "LOCALID", "NODEID"), "0")
    for name, value in {"JOB_NAME": "train.sh", "NTASKS": "1", **numbers}.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    asked: dict[str, Any] = {
        "accelerator": "cpu",
        "devices": 2,
        "logger": False,
        "default_root_dir": tmp_path,
    }
    assert pl.Trainer(**asked).world_size == 1
    assert pl.Trainer(plugins=[*starting()], **asked).world_size == 2
    monkeypatch.setenv("SLURM_NTASKS", "2")
    assert not starting()


@pytest.mark.parametrize(
    ("name", "tasks", "together"),
    [("train.sh", "4", True), ("train.sh", "1", False), ("interactive", "4", False)],
)
def test_who_starts_the_processes(
    name: str, tasks: str, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_NAME", name)
    monkeypatch.setenv("SLURM_NTASKS", tasks)
    assert started_together() == together


def test_more_gpus_than_there_are_is_told_at_once(
    configured: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    check_device(configured("trainer=ddp", "trainer.devices=2"))
    with pytest.raises(ConfigError, match=r"trainer\.devices=4: this machine has 2 GPUs"):
        check_device(configured("trainer=ddp", "trainer.devices=4"))
    with pytest.raises(ConfigError, match=r"trainer\.accelerator=mps: no GPU is found here"):
        check_device(configured("trainer=cpu", "trainer.accelerator=mps"))


@pytest.mark.parametrize(("devices", "processes"), [("0,1", 2), ("0,", 1)])
def test_processes_of_a_cpu_have_no_numbers(
    devices: str, processes: int, configured: Callable[..., Any]
) -> None:
    with pytest.raises(ConfigError, match=rf"only GPUs have numbers.*devices={processes}"):
        check_device(configured("trainer=cpu", f"trainer.devices='{devices}'"))


@pytest.mark.parametrize("precision", ["bf16-true", "16-true"])
def test_weights_in_half_precision_are_refused(precision: str) -> None:
    """Averages over a training would stand still."""
    with pytest.raises(ConfigError, match=f"trainer.precision={precision}: unknown.*bf16-mixed"):
        composed(["task=ner", f"trainer.precision={precision}"])
