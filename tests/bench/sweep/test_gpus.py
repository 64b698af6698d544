"""A GPU a run: which one each gets, and when; no GPU is needed for that."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.errors import ConfigError, RunError
from bench.records import Finished
from bench.run.record import Record
from bench.sweep import gpus
from tests.bench.small import SMALL

Shown = pytest.CaptureFixture[str]


class Pretended:
    """In place of a command: it notes its environment, and ends after as many looks as its seed."""

    noted: list[str] = []
    at_once: int = 0
    most: int = 0

    def __init__(self, words: Sequence[str], record: Record, variables: Mapping[str, str]) -> None:
        self.seed = int(words[-1].removeprefix("seed="))
        self.record, self.looks, self.stopped = record, self.seed, False
        self.noted.append(f"seed {self.seed} on {variables['CUDA_VISIBLE_DEVICES']}")
        Pretended.at_once += 1
        Pretended.most = max(Pretended.most, Pretended.at_once)

    def ended(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def stop(self) -> None:
        self.noted.append(f"seed {self.seed} stopped")

    def result(self) -> Finished:
        Pretended.at_once -= 1
        if self.seed == 9:
            raise KeyboardInterrupt
        raise RunError(f"seed {self.seed} is nothing")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> type[Pretended]:
    monkeypatch.setattr(gpus, "Command", Pretended)
    monkeypatch.setattr(gpus, "PAUSE", 0)
    monkeypatch.setattr(Pretended, "noted", [])
    monkeypatch.setattr(Pretended, "most", 0)
    monkeypatch.setattr(Pretended, "at_once", 0)
    return Pretended


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
    assert commands.noted == ["seed 3 on 0", "seed 1 on 3", "seed 8 on 3", "seed 2 on 0"]
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


def test_what_is_running_stops_with_the_sweep(
    commands: type[Pretended], monkeypatch: pytest.MonkeyPatch, configured: Callable[..., Any]
) -> None:
    launcher = gpus.Gpus([0, 1])
    record = Record(Path("nowhere"))

    def started(number: int, words: Sequence[str], gpu: str, threads: int) -> Any:
        command: Any = Pretended(words, record, {**os.environ, "CUDA_VISIBLE_DEVICES": gpu})
        return gpus._Run(number, None, gpu, command, False)  # type: ignore[arg-type]

    monkeypatch.setattr(launcher, "_started", started)
    with pytest.raises(KeyboardInterrupt):
        launcher.launch([["seed=99"], ["seed=9"]], 0)
    assert commands.noted[-1] == "seed 99 stopped"


def test_without_a_gpu_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(ConfigError, match=r"no GPU is found here; hydra\.launcher\.gpus=\[0,1\]"):
        gpus.found(None)
