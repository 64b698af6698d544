"""`plan=slurm`: its script run by bash, with an `sbatch` and a `scontrol` that only write down."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.sweep.job import Job
from bench.sweep.slurm_script import SUBMIT
from bench.verbatim import quoted
from tests.processes import wait_for

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]

SBATCH = """#!/bin/bash
number=$(ls "$JOBS" | wc -l)
cat > "$JOBS/$number"
echo "$@" > "$JOBS/../options-$number"
echo $((100 + number))
"""
SCONTROL = '#!/bin/bash\necho "$@" >> "$JOBS/../asked"\n'


@pytest.fixture
def slurm(tmp_path: Path) -> Callable[[str], list[tuple[str, str]]]:
    """`slurm(script)`: the jobs that it submits, each with its options."""
    folder = tmp_path / "slurm"
    (folder / "jobs").mkdir(parents=True)
    for name, text in (("sbatch", SBATCH), ("scontrol", SCONTROL)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    def submitted(script: str) -> list[tuple[str, str]]:
        path = tmp_path / "submit.sh"
        path.write_text(script)
        subprocess.run(["bash", path, "--partition=gpu"], check=True, env=_environment(folder))
        jobs = sorted((folder / "jobs").iterdir())
        return [(x.read_text(), (folder / f"options-{x.name}").read_text()) for x in jobs]

    return submitted


def _environment(folder: Path) -> dict[str, str]:
    path = f"{folder}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "JOBS": str(folder / "jobs"), "SLURM_CPUS_PER_TASK": "1"}


def _commands(job: str) -> list[list[str]]:
    lines = [line for line in job.splitlines() if " -m bench" in line]
    commands = [line.partition("-m ")[2].partition(" ||")[0] for line in lines]
    return [shlex.split(command.rstrip("; ")) for command in commands]


def test_features_then_an_array_then_the_table(
    sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], tmp_path: Path, capsys: Shown
) -> None:
    words = ("elmo.placement=none,input", "elmo.l2=0,1")
    assert sweep(*words, "plan=true") == 0
    said = capsys.readouterr().out
    planned = [shlex.split(x)[3:] for x in said.splitlines() if x.startswith("python -m bench")]
    assert sweep(*words, "plan=slurm") == 0
    (features, first), (runs, second), (table, third) = slurm(capsys.readouterr().out)
    assert [command[:2] for command in _commands(features)] == [["bench.features", "build"]]
    assert [command[1:] for command in _commands(runs)] == planned
    assert len(planned) == 3  # without ELMo, the penalty makes no other run
    (whole,) = _commands(table)
    assert whole[:2] == ["bench", "-m"]
    assert {*words} < {*whole}
    assert not any("plan" in word for word in whole)
    assert "--dependency" not in first
    assert "--array=0-2%32 --dependency=afterok:100" in second
    assert "--dependency=afterok:101" in third
    for options in (first, second, third):
        assert "--job-name=snli" in options
        assert f"--output={tmp_path}/runs/.slurm/snli/" in options
        assert "--requeue" in options
        assert options.endswith("--partition=gpu\n")
    assert (tmp_path / "runs" / ".slurm" / "snli").is_dir()


def test_every_job_resolves_for_itself_what_a_word_refers_to(
    sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], capsys: Shown
) -> None:
    words = ("training.patience=${training.max_epochs}", "features.overlay=${oc.env:TMPDIR,/tmp}/x")
    assert sweep("elmo.placement=none,input", *words, "plan=slurm") == 0
    for job, _ in slurm(capsys.readouterr().out):
        for command in _commands(job):
            assert {*words} < {*command}


def test_what_needs_no_features_waits_for_none(
    sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], capsys: Shown
) -> None:
    assert sweep("elmo.placement=none", "seed=1,2", "plan=slurm") == 0
    (_, options), _ = slurm(capsys.readouterr().out)
    assert "--array=0-1%32" in options
    assert "--dependency" not in options


def test_runs_wait_for_no_features_that_have_no_room(
    sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], tmp_path: Path, capsys: Shown
) -> None:
    """Each run then does without them, as it would alone: the job of the features ends well."""
    none = ("features.max_gb=1e-6", f"features.dir={tmp_path / 'empty'}")
    assert sweep("elmo.placement=input", *none, "plan=slurm") == 0
    (features, _), *_ = slurm(capsys.readouterr().out)
    (tmp_path / "job").write_text(features)
    environment = _environment(tmp_path / "slurm")
    done = subprocess.run(["bash", tmp_path / "job"], env=environment, capture_output=True)
    assert b"are needed for features" in done.stderr
    assert done.returncode == 0


def test_finished_runs_are_left_out(
    sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], capsys: Shown
) -> None:
    assert sweep("elmo.placement=none", "training.max_epochs=1") == 0
    capsys.readouterr()
    given = ("elmo.placement=none", "training.max_epochs=1", "plan=slurm")
    assert sweep(*given) == 0
    assert capsys.readouterr().out == ""
    assert sweep(*given, "seed=1,2") == 0
    (runs, _), _ = slurm(capsys.readouterr().out)
    assert [command[-1] for command in _commands(runs)] == ["seed=2"]


def test_ensembles_that_are_left_have_their_job(
    own: str,
    sweep: Sweep,
    slurm: Callable[[str], list[tuple[str, str]]],
    capsys: Shown,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where the job of the table reached its time limit once too often."""
    monkeypatch.setattr(Job, "_found", lambda _: "finished")
    words = ("experiment=own", own, "+experiment.ensembles.both=with", "seed=1,2")
    assert sweep(*words, "plan=slurm") == 0
    ((table, options),) = slurm(capsys.readouterr().out)
    (whole,) = _commands(table)
    assert "experiment=own" in whole
    assert "--dependency" not in options


def test_runs_of_an_experiment_are_a_group_for_wandb(
    own: str, sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], capsys: Shown
) -> None:
    assert sweep("experiment=own", own, "logger=wandb", "plan=slurm") == 0
    _, (runs, _), _ = slurm(capsys.readouterr().out)
    assert all("logger.group=own" in command for command in _commands(runs))


@pytest.mark.usefixtures("own")
def test_own_folders_of_configuration_go_with_every_command(
    sweep: Sweep, slurm: Callable[[str], list[tuple[str, str]]], tmp_path: Path, capsys: Shown
) -> None:
    folder = tmp_path / "zoé's [a, b]"
    folder.mkdir()
    (tmp_path / "experiment").rename(folder / "experiment")
    word = f"hydra.searchpath=[{quoted(str(folder))}]"
    assert sweep("experiment=own", word, "plan=slurm") == 0
    jobs = slurm(capsys.readouterr().out)
    assert "--job-name=own " in jobs[1][1]
    assert all(command[-1] == word for job, _ in jobs for command in _commands(job))


def test_what_elmo_bench_prints_asks_for_elmo_bench(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    """`python -m bench` would find a package `bench` of the folder in which the jobs begin."""
    monkeypatch.setattr("bench.sweep.apart.installed_script", lambda: "/x/elmo-bench")
    assert sweep("elmo.placement=input", "plan=slurm") == 0
    script = capsys.readouterr().out
    for words in ("features build task=snli ", "task=snli ", "-m task=snli "):
        assert f"resumable {sys.executable} /x/elmo-bench {words}" in script
    assert "-m bench" not in script


@pytest.mark.usefixtures("own")
def test_a_package_of_configuration_goes_with_every_command(
    sweep: Sweep,
    slurm: Callable[[str], list[tuple[str, str]]],
    tmp_path: Path,
    capsys: Shown,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = tmp_path / "packages" / "own_conf"
    package.mkdir(parents=True)
    (tmp_path / "experiment").rename(package / "experiment")
    for folder in (package, package / "experiment"):
        (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(package.parent)
    assert sweep("experiment=own", "hydra.searchpath=[pkg://own_conf]", "plan=slurm") == 0
    word = "hydra.searchpath=['pkg://own_conf']"
    jobs = slurm(capsys.readouterr().out)
    assert all(command[-1] == word for job, _ in jobs for command in _commands(job))


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("force=true", "force=true: a run that Slurm requeues would begin anew"),
        ("hydra/launcher=gpus", "hydra/launcher: leave it out with plan=slurm"),
        ("hydra.launcher.at_once=2", "hydra.launcher.at_once: leave it out with plan=slurm"),
        ("plan=sulrm", "plan=sulrm: must be true, false or slurm"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    sweep: Sweep, word: str, reason: str, capsys: Shown
) -> None:
    assert sweep("plan=slurm", "elmo.placement=none", word) == 2
    shown = capsys.readouterr()
    assert reason in shown.err.splitlines()[-1]
    assert shown.out == ""


@pytest.fixture
def job(
    tmp_path: Path, slurm: Callable[[str], list[tuple[str, str]]]
) -> Callable[..., subprocess.Popen[bytes]]:
    """`job(command)`: started as the element 1 of the array 7; returns when the command has."""

    def started(command: str, restarts: int = 0, stopped: int = 143) -> subprocess.Popen[bytes]:
        ready = tmp_path / "ready"
        does = shlex.join(["bash", "-c", f"trap 'exit {stopped}' TERM; touch {ready}; {command}"])
        settings = f"name=x count=1 array=0-1 requeues=2 size=() logs={tmp_path}\n"
        jobs = "".join(f"{n}() {{ echo {shlex.quote(f'resumable {does}')}; }}\n" for n in JOBS)
        (text, _), _ = slurm(f"#!/bin/bash\n{settings}{jobs}{SUBMIT.read_text()}")
        (tmp_path / "job").write_text(text)
        variables = _environment(tmp_path / "slurm")
        variables |= {"SLURM_JOB_ID": "9", "SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "1"}
        variables |= {"SLURM_RESTART_COUNT": str(restarts)} if restarts else {}
        process = subprocess.Popen(["bash", tmp_path / "job"], env=variables)
        wait_for(ready.exists)
        return process

    return started


JOBS = ("runs", "table")
WAITS = "for i in {1..600}; do sleep 0.1; done"


def _requeued(tmp_path: Path) -> str:
    path = tmp_path / "slurm" / "asked"
    return path.read_text() if path.exists() else ""


def test_near_the_time_limit_the_command_is_stopped_and_its_element_requeued(
    job: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    process = job(WAITS)
    process.send_signal(signal.SIGUSR1)
    process.wait(30)
    assert _requeued(tmp_path) == "requeue 7_1\n"  # the number of its job may be the whole array's


def test_it_is_not_requeued_for_ever(
    job: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    process = job(WAITS, restarts=2)
    process.send_signal(signal.SIGUSR1)
    assert process.wait(30) == 143
    assert _requeued(tmp_path) == ""


def test_what_is_done_by_then_is_not_requeued(
    job: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    process = job(WAITS, stopped=0)
    process.send_signal(signal.SIGUSR1)
    assert process.wait(30) == 0
    assert _requeued(tmp_path) == ""


@pytest.mark.parametrize("status", [0, 2])
def test_the_job_ends_as_its_command(
    job: Callable[..., subprocess.Popen[bytes]], tmp_path: Path, status: int
) -> None:
    assert job(f"exit {status}").wait(30) == status
    assert _requeued(tmp_path) == ""
