"""What `plan=slurm` prints: a shell script that gives runs to Slurm's `sbatch`, and ends.

Each run is an element of one array. It waits for a job that computes the features, and is waited
for by one that makes the ensembles and shows the table. `submit.sh`, beside this file, is the part
that all such scripts share.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from bench.config import CONF
from bench.console import counted
from bench.errors import ConfigError
from bench.sweep.apart import as_typed, program
from bench.sweep.expand import grouped
from bench.sweep.job import Job
from bench.verbatim import quoted
from bench.world import check_counted

LAUNCHER = "hydra/launcher"
SUBMIT = Path(__file__).with_name("submit.sh")


def script(cfg: DictConfig, jobs: Sequence[Job]) -> str:
    """Return the script.

    Args:
        cfg: The sweep's configuration, with Hydra's own node.
        jobs: The runs that are not finished; with none, the table alone is left.

    Raises:
        ConfigError: Something of the command line does not go with it.
    """
    _check(cfg)
    for job in jobs:
        check_counted(job.cfg.trainer)
    return "\n".join([_settings(cfg, len(jobs)), *_jobs(cfg, jobs), SUBMIT.read_text("utf-8")])


def check_force(cfg: DictConfig) -> None:
    """Raise ConfigError for runs that are to be repeated: each requeue would do it again."""
    if cfg.force:
        raise ConfigError("force=true: a run that Slurm requeues would begin anew, not go on")


def _check(cfg: DictConfig) -> None:
    check_force(cfg)
    for word in cfg.hydra.overrides.hydra:
        key = word.lstrip("+").partition("=")[0]
        if key.startswith((LAUNCHER, "hydra.launcher.")):
            raise ConfigError(
                f"{key}: leave it out with plan=slurm, whose script takes options of sbatch"
            )


def _settings(cfg: DictConfig, count: int) -> str:
    """Return the lines of the script that a user may want to change."""
    size, name = OmegaConf.load(CONF / LAUNCHER / "slurm.yaml"), name_of(cfg)
    logs = Path(cfg.paths.runs).expanduser().absolute() / ".slurm" / name
    here, number = shlex.quote(f"--chdir={Path.cwd()}"), counted(count, "run")
    return f"""\
#!/bin/bash
# {name}, {number}. Options of sbatch, for all of its jobs, may follow this file's name:
#     bash FILE --partition=NAME --gpus-per-node=1
set -euo pipefail
name={name}
count="{number}"
array=0-{count - 1}%{size.array_parallelism}  # so many at once
requeues={size.max_num_timeout}  # at most
size=(--time={size.timeout_min} --cpus-per-task={size.cpus_per_task} --mem={size.mem_gb}G {here})
logs={shlex.quote(str(logs))}
"""


def _jobs(cfg: DictConfig, jobs: Sequence[Job]) -> Iterator[str]:
    """Yield the jobs of the script, each a function that writes what the job does."""
    if builds := _builds(cfg, jobs):  # 2: there is no room, say; the runs do without, or tell why
        yield _job("features", " &&\n".join(f"{{ {build} || [ $? = 2 ]; }}" for build in builds))
    if jobs:
        runs = (_resumable(cfg, *program(), *job.cells[0].overrides, *grouped(cfg)) for job in jobs)
        cases = (f"{i}) {run} ;;" for i, run in enumerate(runs))
        yield _job("runs", "\n".join(["case $SLURM_ARRAY_TASK_ID in", *cases, "esac"]))
    yield _job("table", _resumable(cfg, *program(), "-m", *_asked(cfg)))


def _job(name: str, does: str) -> str:
    return f"{name}() {{ cat <<'JOB'\n{does}\nJOB\n}}\n"


def name_of(cfg: DictConfig) -> str:
    """Return the experiment's name, or the tasks': that of the jobs."""
    choices = cfg.hydra.runtime.choices
    tasks = [word.partition("=")[2] for word in _asked(cfg) if word.startswith("task=")]
    name = choices["experiment"] if cfg.experiment else "-".join(tasks) or choices["task"]
    return re.sub(r"[^\w.-]+", "-", name)


def _builds(cfg: DictConfig, jobs: Sequence[Job]) -> list[str]:
    """Return the commands that compute the features of the runs, one for what is the same."""
    found: dict[str, str] = {}
    for job in jobs:
        own = job.cfg
        if own.elmo.placement == "none" or own.features.mode == "live" or own.trainer.limit_batches:
            continue
        parts = [own.task, own.data, own.encoder, own.features]
        key = json.dumps([OmegaConf.to_container(part, resolve=True) for part in parts])
        key += "" if own.data.train_share == 1 else f" seed {own.seed}"
        build = [*program("features"), "build", *job.cells[0].overrides]
        found.setdefault(key, _resumable(cfg, *build))
    return list(found.values())


def _asked(cfg: DictConfig) -> list[str]:
    """Return the words of this command line, but for what is planned."""
    words = as_typed(cfg.hydra.overrides.task)
    return [word for word in words if word.partition("=")[0] != "plan"]


def _resumable(cfg: DictConfig, *words: str) -> str:
    """Return what does a command in a job, with the folders of configuration that are given now."""
    sources = cfg.hydra.runtime.config_sources
    own = [source for source in sources if "command-line" in source.provider]
    given = [s.path if s.schema == "file" else f"{s.schema}://{s.path}" for s in own]
    folders = [f"hydra.searchpath=[{','.join(map(quoted, given))}]"] if given else []
    return f"resumable {shlex.join([*words, *folders])}"
