"""The same sweep through Hydra's launchers: processes, a queue of this machine, Ray, Slurm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from omegaconf import DictConfig

from bench.sweep import attempt, sweeper
from bench.sweep.job import Outcome
from tests.bench.small import DIVERGING, SMALL


def installed(plugin: str) -> bool:
    return bool(find_spec("hydra_plugins") and find_spec(f"hydra_plugins.{plugin}"))


def needs(plugin: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not installed(plugin), reason=f"{plugin} is not installed")


@pytest.fixture
def launched(snli_folder: Path, tmp_path: Path) -> Callable[..., str]:
    """Two runs, one of which fails; returns what was shown."""

    def call(*launcher: str) -> str:
        runs = tmp_path / "runs"
        arguments = [*SMALL, *DIVERGING, "training.optimizer.lr=1e6,1e-3", "elmo.placement=none"]
        arguments += [f"data.dir={snli_folder}", f"paths.runs={runs}"]
        done = subprocess.run(
            [sys.executable, "-m", "bench", "-m", *arguments, *launcher],
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "300"},
        )
        assert done.returncode == 2, done.stderr
        results = [json.loads(path.read_text()) for path in runs.glob("snli/*/result.json")]
        assert sorted(result["status"] for result in results) == ["failed", "finished"]
        assert "try a lower training.optimizer.lr" in done.stdout
        return done.stdout + done.stderr

    return call


@needs("hydra_joblib_launcher")
def test_joblib_runs_all_jobs(launched: Callable[..., str]) -> None:
    launched("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")


DEADLY = """
import os

import torch


class Deadly:  # for all but the sweep, which tries a few sentences
    name, layers, dim, fingerprint = "deadly", 3, 8, "deadly-1"

    def to(self, device):
        return self

    def encode(self, sentences):
        if os.getpid() != int(os.environ["SURVIVOR"]):
            os.abort()
        return [torch.zeros(3, len(words), 8) for words in sentences]
"""


@pytest.mark.slow
@needs("hydra_joblib_launcher")
def test_a_killed_process_does_not_take_the_others_with_it(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("SURVIVOR", str(os.getpid()))
    arguments = [word for word in SMALL if not word.startswith("encoder")]
    arguments += ["training.max_epochs=1", f"data.dir={snli_folder}", f"paths.runs={tmp_path}"]
    dies = ("encoder=own", "encoder._target_=deadly.Deadly", "elmo.placement=input,none,output")
    parallel = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
    assert bench("-m", *arguments, *dies, *parallel) == 1
    (result,) = tmp_path.glob("snli/*/result.json")
    assert result.parent.name.startswith("none-")
    assert json.loads(result.read_text())["status"] == "finished"
    assert capsys.readouterr().out.count("TerminatedWorkerError") == 2


@pytest.mark.slow
def test_gpus(launched: Callable[..., str]) -> None:
    """On a CPU: the commands are told of GPUs, and train without."""
    shown = launched("hydra/launcher=gpus", "hydra.launcher.gpus=[0,1]")
    assert "s on GPU 0" in shown
    assert "s on GPU 1" in shown


@pytest.mark.slow
@needs("hydra_submitit_launcher")
def test_a_queue_of_this_machine(launched: Callable[..., str]) -> None:
    launched("hydra/launcher=submitit_local")


@pytest.mark.slow
@needs("hydra_submitit_launcher")
def test_a_queue_in_a_project_that_has_a_folder_bench(snli_folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "project" / "bench"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("raise RuntimeError('the wrong one')")
    script = tmp_path / "elmo-bench"
    script.write_text("from bench.__main__ import command\ncommand()\n")
    words = [*SMALL, "training.max_epochs=1", "elmo.placement=none", "seed=1,2"]
    words += [f"data.dir={snli_folder}", f"paths.runs={tmp_path}", "hydra/launcher=submitit_local"]
    done = subprocess.run(
        [sys.executable, str(script), "-m", *words],
        cwd=own.parent,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("snli/*/result.json"))) == 2


@pytest.mark.slow
@needs("hydra_ray_launcher")
def test_ray(launched: Callable[..., str]) -> None:
    launched("hydra/launcher=ray", "+hydra.launcher.ray.init.num_cpus=2")


@pytest.mark.slow
@needs("hydra_submitit_launcher")
def test_slurm(launched: Callable[..., str]) -> None:
    """Of one node, as Debian's slurm-wlm starts it; any other that answers will do."""
    if not shutil.which("sbatch") or subprocess.run(["sinfo"], capture_output=True).returncode:
        pytest.skip("no Slurm answers here")
    sizes = ("cpus_per_task=1", "mem_gb=null", "timeout_min=10")
    launched("hydra/launcher=slurm", *(f"hydra.launcher.{size}" for size in sizes))


def test_what_a_launcher_had_repeated_before_it_failed_is_not_repeated_again(
    sweep: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sweep("elmo.placement=none", "seed=1,2") == 0
    launched: list[int] = []
    did = attempt.attempt

    def attempted(cfg: DictConfig, **given: Any) -> Outcome:
        launched.append(cfg.seed)
        if launched == [1, 2]:  # as where a worker is killed
            raise RuntimeError("TerminatedWorkerError")
        return did(cfg, **given)

    monkeypatch.setattr(sweeper, "attempt", attempted)
    words = ("elmo.placement=none", "seed=1,2", "force=true", "hydra/launcher=basic")
    assert sweep(*words) == 0
    assert launched == [1, 2, 2]
