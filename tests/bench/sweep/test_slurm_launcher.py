"""`hydra/launcher=slurm` where no Slurm is: its commands are scripts that answer as it would."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from bench.__main__ import SUBMITTED
from bench.sweep import attempt, slurm_launcher

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]
Command = Callable[[str, str], None]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`command("squeue", "echo 5_0 RUNNING")`: what that command does from now on."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setattr(slurm_launcher, "PAUSE", 0.05)
    monkeypatch.setattr(slurm_launcher, "GRACE", 0.2)

    def does(name: str, what: str) -> None:
        (folder / name).write_text(f'#!/bin/bash\necho "$@" >> "$0.asked"\n{what}\n')
        (folder / name).chmod(0o755)

    does("srun", "exit 1")
    does("sacct", "exit 1")
    return does


def test_what_is_cancelled_stays_cancelled(
    sweep: Sweep, command: Command, tmp_path: Path, capsys: Shown
) -> None:
    command("sbatch", 'cp "$1" "$0.script"; echo Submitted batch job 5')
    command("squeue", "echo 5_0 CANCELLED; echo 5_1 CANCELLED")
    assert sweep("seed=1,2", "elmo.placement=none", "hydra/launcher=slurm") == 2
    shown = capsys.readouterr().err
    assert "job 5: 2 runs, logs in " in shown
    for line in ("[1/2] snli · seed 1: cancelled", "[2/2] snli · seed 2: cancelled"):
        assert f"{line}; the same command goes on" in shown
    commands = tmp_path / "commands"
    assert len((commands / "sbatch.asked").read_text().splitlines()) == 1
    assert not (commands / "sacct.asked").exists()
    script = (commands / "sbatch.script").read_text()
    for option in ("job-name=snli", "requeue", "array=0-1%2", "signal=USR2@120"):
        assert f"#SBATCH --{option}\n" in script


def test_jobs_of_elmo_bench_are_started_by_elmo_bench(
    sweep: Sweep, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m` would find a package `bench` of the working folder first."""
    monkeypatch.setattr(slurm_launcher, "installed_script", lambda: "/x/elmo-bench")
    command("sbatch", 'cp "$1" "$0.script"; echo Submitted batch job 5')
    command("squeue", "echo 5_0 CANCELLED; echo 5_1 CANCELLED")
    sweep("seed=1,2", "elmo.placement=none", "hydra/launcher=slurm")
    script = (tmp_path / "commands" / "sbatch.script").read_text()
    assert f" {sys.executable} -u /x/elmo-bench {' '.join(SUBMITTED)} " in script


def test_a_run_on_all_gpus_of_a_node_says_how_many_these_are(
    sweep: Sweep, command: Command, tmp_path: Path, capsys: Shown
) -> None:
    command("sbatch", "exit 1")
    words = ("seed=1,2", "elmo.placement=none", "trainer=ddp")
    assert sweep(*words, "hydra/launcher=slurm") == 2
    assert "trainer.devices=auto: how many GPUs a node has" in capsys.readouterr().err
    assert sweep(*words, "plan=slurm") == 2
    assert "say the number, such as trainer.devices=8" in capsys.readouterr().err
    assert not (tmp_path / "commands" / "sbatch.asked").exists()
    assert sweep(*words, "trainer.devices=8", "plan=slurm") == 0


def test_what_every_requeue_would_repeat_is_refused(
    sweep: Sweep, command: Command, tmp_path: Path, capsys: Shown
) -> None:
    command("sbatch", "exit 1")
    words = ("seed=1,2", "elmo.placement=none", "hydra/launcher=slurm", "force=true")
    assert sweep(*words) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: force=true: a run that")
    assert not (tmp_path / "commands" / "sbatch.asked").exists()


def test_an_interruption_leaves_the_jobs_in_the_queue_and_says_so(
    sweep: Sweep, command: Command, capsys: Shown
) -> None:
    command("sbatch", "echo Submitted batch job 5")
    command("squeue", "echo 5_0 RUNNING; echo 5_1 PENDING; kill -TERM $PPID")
    assert sweep("seed=1,2", "elmo.placement=none", "hydra/launcher=slurm") == 143
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "interrupted; the jobs go on: `scancel 5` ends them"


def test_what_slurm_refuses_is_said_once_a_run(
    sweep: Sweep, command: Command, tmp_path: Path, capsys: Shown
) -> None:
    command("sbatch", "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1")
    assert sweep("seed=1,2", "elmo.placement=none", "hydra/launcher=slurm") == 2
    shown = capsys.readouterr().out
    assert shown.count("not submitted: sbatch: error: invalid partition specified: x") == 2
    assert len((tmp_path / "commands" / "sbatch.asked").read_text().splitlines()) == 1


def test_states(command: Command) -> None:
    command("squeue", "echo 5_0 RUNNING; echo 5_1 PENDING")
    assert slurm_launcher.states_of("5") == {"5_0": "RUNNING", "5_1": "PENDING"}
    command("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
    assert slurm_launcher.states_of("5") == {}
    command("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
    assert slurm_launcher.states_of("5") is None


def test_a_job_that_slurm_preempts_is_not_requeued_twice(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("", "7"), ("ARRAY_", "5")):
        monkeypatch.setenv(f"SLURM_{name}JOB_ID", value)
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    monkeypatch.setenv("SUBMITIT_EXECUTOR", "slurm")
    launcher = slurm_launcher.Slurm.__new__(slurm_launcher.Slurm)
    command("squeue", "echo 5_1 RUNNING")
    assert launcher.checkpoint("words").args == ("words",)
    command("squeue", "exit 1")  # it does not answer
    assert launcher.checkpoint("words").args == ("words",)
    command("squeue", "echo 5_1 PENDING")
    with pytest.raises(SystemExit):
        launcher.checkpoint("words")


@pytest.mark.parametrize(
    ("launcher", "told"), [("basic", True), ("cores", True), ("slurm", False), ("ray", False)]
)
def test_only_runs_one_after_another_tell_the_time_left(
    monkeypatch: pytest.MonkeyPatch, launcher: str, told: bool
) -> None:
    hydra = MagicMock()
    hydra.get().runtime.choices = {"hydra/launcher": launcher}
    monkeypatch.setattr(attempt, "HydraConfig", hydra)
    assert bool(attempt._left(time.time() - 60, 1, 3)) == told
