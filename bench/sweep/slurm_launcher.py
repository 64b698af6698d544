"""A launcher for Hydra: the runs as one array of Slurm's jobs, which the sweep waits for.

submitit gives them to Slurm, and requeues a job that reaches its time limit. What became of a job
is known from its result, or else from `squeue`: clusters need not keep accounts (`sacct`).
submitit's own queue of this machine is here, too, whose jobs find our packages as Slurm's do.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn
from hydra.types import HydraContext, TaskFunction
from hydra_plugins.hydra_submitit_launcher.config import BaseQueueConf
from hydra_plugins.hydra_submitit_launcher.submitit_launcher import (
    BaseSubmititLauncher,
    LocalLauncher,
    SlurmLauncher,
)
from omegaconf import DictConfig, OmegaConf

from bench.console import counted, say
from bench.interrupts import told
from bench.sweep.apart import installed_script
from bench.sweep.job import Cell, Outcome
from bench.sweep.side_by_side import returned
from bench.sweep.slurm_script import check_force, name_of

if TYPE_CHECKING:
    from submitit import Job

PAUSE = 2.0  # seconds between two looks at what is running
GRACE = 90.0  # seconds that a result may take to be seen, after its job's end; NFS looks each 60
GONE = "GONE"  # not known to Slurm any more
ENDED = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", GONE),
    *("NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"),
}


class Slurm(SlurmLauncher):
    """Gives Slurm the runs of a sweep, and says in a line what came of each."""

    cells: Sequence[Cell]

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        """Take in the sweep's configuration, and its cells from `attempt`, bound to them."""
        assert isinstance(task_function, partial)
        super().setup(hydra_context=hydra_context, task_function=task_function, config=config)
        self.cells = task_function.keywords["cells"]

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Do the runs that these words compose, each list one, and return their outcomes in order.

        A job that ends without a result, as one that is cancelled, has failed.

        Raises:
            ConfigError: They are to be repeated, which Slurm would do again and again.
        """
        assert self.config is not None
        check_force(self.config)
        try:
            jobs = submitted(self, job_overrides)
        except Exception as error:  # of sbatch, which says why at the end
            why = Outcome("failed", f"not submitted: {str(error).strip().splitlines()[-1]}")
            return [returned(why)] * len(job_overrides)
        number = jobs[0].job_id.partition("_")[0]
        count = counted(len(jobs), "run")
        say(f"job {number}: {count}, logs in {jobs[0].paths.folder.parent}/{number}*")
        with told(lambda: f"interrupted; the jobs go on: `scancel {number}` ends them"):
            return [returned(outcome) for outcome in self._awaited(number, jobs)]

    def checkpoint(self, *args: Any, **kwargs: Any) -> Any:
        """Say what the job shall do when it runs again; submitit asks, told of a time limit.

        A job that Slurm preempts in that moment is requeued by Slurm, which refuses it a second
        time: such a job just ends.
        """
        from submitit import JobEnvironment

        number = JobEnvironment().job_id
        if (states_of(number) or {}).get(number, "RUNNING") != "RUNNING":
            sys.exit(-1)  # as submitit ends a job that it has requeued
        return super().checkpoint(*args, **kwargs)

    def _awaited(self, number: str, jobs: Sequence[Job[JobReturn]]) -> list[Outcome]:
        """Wait for the jobs of an array, and return what came of each."""
        outcomes: dict[str, Outcome] = {}
        seen: dict[str, float] = {}  # when a job without a result was first seen to have ended
        shown = ""
        while True:
            states = states_of(number)
            for job, cell in zip(jobs, self.cells, strict=True):
                if job.job_id in outcomes:
                    continue
                outcome = result_of(job) or _lost(job, states, seen)
                if outcome is not None:
                    outcomes[job.job_id] = outcome
                    place = f"[{len(outcomes)}/{len(jobs)}] {cell}"
                    say(f"{place}: {outcome.what}, {outcome.seconds:.0f} s (job {job.job_id})")
            if len(outcomes) == len(jobs):
                return [outcomes[job.job_id] for job in jobs]
            left = Counter(state for id, state in (states or {}).items() if id not in outcomes)
            if (line := ", ".join(f"{n} {state.lower()}" for state, n in left.items())) != shown:
                say(f"job {number}: {line}")
                shown = line
            time.sleep(PAUSE)


class Local(LocalLauncher):
    """Gives submitit's queue of this machine the runs of a sweep."""

    def launch(
        self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int
    ) -> Sequence[JobReturn]:
        """Do the runs that these words compose, each list one, and return their outcomes in order.

        Raises what submitit raises for a job that ends without one.
        """
        return [job.results()[0] for job in submitted(self, job_overrides)]


def submitted(
    launcher: BaseSubmititLauncher, job_overrides: Sequence[Sequence[str]]
) -> Sequence[Job[JobReturn]]:
    """Give submitit a job for each run, and return the jobs.

    They are started as this process was: `python -m` looks in the working folder first.
    """
    from submitit import AutoExecutor

    assert launcher.config is not None
    cluster, params = launcher._EXECUTOR, dict(launcher.params)
    params["name"] = params["name"] or name_of(launcher.config)
    init: dict[str, Any] = {"folder": params.pop("submitit_folder"), "cluster": cluster}
    if "max_num_timeout" in params:
        init[f"{cluster}_max_num_timeout"] = params.pop("max_num_timeout")
    if (script := installed_script()) is not None:
        init[f"{cluster}_python"] = shlex.join([sys.executable, "-u", script])
    executor = AutoExecutor(**init)
    common = set(OmegaConf.structured(BaseQueueConf).keys())
    executor.update_parameters(
        **{key if key in common else f"{cluster}_{key}": value for key, value in params.items()}
    )
    Path(launcher.config.hydra.sweep.dir).mkdir(parents=True, exist_ok=True)
    count = len(job_overrides)
    return executor.map_array(
        launcher,
        [list(words) for words in job_overrides],
        ["hydra.sweep.dir"] * count,
        range(count),
        [f"job_id_for_{number}" for number in range(count)],
        [Singleton.get_state()] * count,
    )


def states_of(number: str) -> dict[str, str] | None:
    """Return the states of an array's jobs by their numbers, or None if Slurm does not answer.

    What ended some minutes ago is not known any more.
    """
    asked = ["squeue", "--noheader", "--array", "--states=all", f"--jobs={number}"]
    try:
        answer = subprocess.run([*asked, "--format=%i %T"], capture_output=True, text=True)
    except OSError:
        return None
    if answer.returncode:
        return {} if "Invalid job id" in answer.stderr else None
    return dict(line.split() for line in answer.stdout.splitlines())


def result_of(job: Job[JobReturn]) -> Outcome | None:
    """Return what came of a job's run, if it is written."""
    if not all(job.task(i).paths.result_pickle.exists() for i in range(job.num_tasks)):
        return None
    try:
        outcome: Outcome = job.task(0).result().return_value
    except Exception as error:  # before the run began, or by submitit itself
        last = (str(error).strip().splitlines() or [""])[-1]
        return Outcome("failed", f"{type(error).__name__}: {last} ({job.paths.stderr})", False)
    return outcome


def _lost(
    job: Job[JobReturn], states: Mapping[str, str] | None, seen: dict[str, float]
) -> Outcome | None:
    """Return the failure of a job that ended some time ago, and left no result."""
    state = "RUNNING" if states is None else states.get(job.job_id, GONE)
    if state not in ENDED:
        seen.pop(job.job_id, None)
        return None
    if time.monotonic() - seen.setdefault(job.job_id, time.monotonic()) < GRACE:
        return None
    if state == "CANCELLED":
        return Outcome("failed", "cancelled; the same command goes on")
    what = "ended without a result" if state in (GONE, "COMPLETED") else state.lower()
    return Outcome("failed", f"{what}; the same command goes on ({job.paths.stderr})")
