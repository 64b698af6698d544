"""Compares a small Table 2 that Slurm does, each run stopped on its way, with the plain one.

    python -m tests.cluster.rehearsal FOLDER

Slurm must answer (`sinfo`); `one_node.sh` makes one, with the partitions that are asked for here.
In FOLDER all is left to be looked at.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import torch

from elmo_core.lightning import read_checkpoint
from tests.conftest import TINY_ENCODER

WORDS = (
    *("experiment=table2", "task=ner", "seed=1", "trainer=cpu", *TINY_ENCODER),
    *("data.train_share=0.1", "task.hidden=[8,8]", "training.max_epochs=12"),
    "training.patience=12",
)
RUNS = 4
SIZE = ("--cpus-per-task=1", "--mem=2G", "--time=30")
LAUNCHER = (
    *("hydra/launcher=slurm", "hydra.launcher.partition=low", "hydra.launcher.timeout_min=30"),
    *("hydra.launcher.cpus_per_task=1", "hydra.launcher.mem_gb=2"),
)
GOES_ON = "going on from "  # what a run says that begins again

Stop = Callable[[], object]


def main() -> None:
    """Do all three, and compare; exit with status 1 if a file differs, or a run was not stopped."""
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    print(_said(*_bench(folder, "plain")), end="", flush=True)

    script = folder / "submit.sh"
    script.write_text(_said(*_bench(folder, "script", "plan=slurm")))
    print(_said("bash", str(script), *SIZE), end="", flush=True)
    _stop(folder / "script", [lambda: _time_limit("--signal=USR1", "--batch")])

    with subprocess.Popen(_bench(folder, "launcher", *LAUNCHER)) as sweep:
        _stop(folder / "launcher", [lambda: _time_limit("--signal=USR2"), _preempt])
    wrong = [] if sweep.returncode == 0 else [f"the launcher ended with {sweep.returncode}"]

    for way, stops in (("script", 1), ("launcher", 2)):
        wrong += [f"{path}: differs, or is not there" for path in _differences(folder, way)]
        wrong += _not_stopped(folder / way, stops)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{RUNS} runs, by the script stopped once, by the launcher twice: equal to the bit")


def _bench(folder: Path, way: str, *more: str) -> list[str]:
    """Return the command of the sweep, in folders of its own."""
    own = (f"paths.runs={folder / way}", f"features.dir={folder / f'{way}-features'}")
    return [sys.executable, "-m", "bench", *WORDS, *own, *more]


def _stop(runs: Path, stops: Iterable[Stop]) -> None:
    """Stop all runs, once for each of `stops`, and wait until Slurm has nothing left to do.

    Each time they first get two epochs further.
    """
    held: dict[str, int] = {}
    for begun, stop in enumerate(stops):  # so often have all of them begun again
        idle = 0
        while min(_epochs(runs), default=0) < 2 * begun + 2 or _begun(runs) < begun * RUNS:
            idle = 0 if _hurry(held) else idle + 1
            if idle > 240:  # some two minutes
                sys.exit(f"{runs}: nothing is queued, and not all runs have come so far")
        stop()
    while _hurry(held):
        pass


def _epochs(runs: Path) -> list[int]:
    """Return how many epochs each run has done."""
    epochs = [log.read_text().count(" epoch ") for log in runs.glob("ner/*/run.log")]
    return epochs if len(epochs) == RUNS else []


def _begun(runs: Path) -> int:
    """Return how often runs have begun again, all of them together."""
    return sum(log.read_text().count(GOES_ON) for log in runs.glob("ner/*/run.log"))


def _time_limit(*signal: str) -> None:
    """Send the signal that announces the time limit."""
    for name, state in _queue():
        if state == "RUNNING":
            _said("scancel", *signal, name)


def _preempt() -> None:
    """Have Slurm take the whole node for a job of the partition that goes first."""
    _said("sbatch", "--partition=high", "--exclusive", "--output=/dev/null", "--wrap=true")


def _hurry(held: dict[str, int]) -> bool:
    """Start what is to begin again, and return whether there is anything in the queue.

    Slurm holds a requeued job for two minutes. After five seconds it may begin; at once, Slurm
    would take it for the job that it has just ended. `held` counts the looks at each job on hold.
    """
    time.sleep(0.5)
    queue = _queue()
    for name, state in queue:
        held[name] = held.get(name, 0) + 1 if state == "PENDING" and "_" in name else 0
        if held[name] > 10:
            subprocess.run(
                ["scontrol", "update", f"JobId={name}", "StartTime=now"], stderr=subprocess.DEVNULL
            )
    return bool(queue)


def _queue() -> list[list[str]]:
    said = _said("squeue", "--noheader", "--array", "--format=%i %T")
    return [line.split() for line in said.splitlines()]


def _not_stopped(runs: Path, stops: int) -> list[str]:
    """Say of which runs another number of stops is known."""
    logs = {log: log.read_text().count(GOES_ON) for log in sorted(runs.glob("ner/*/run.log"))}
    return [f"{log}: stopped {n} times, not {stops}" for log, n in logs.items() if n != stops]


def _differences(folder: Path, way: str) -> list[Path]:
    """Return the files of the runs that are missing, or not the same; times are left out."""
    found = []
    for plain in sorted((folder / "plain" / "ner").iterdir()):
        slurm = folder / way / "ner" / plain.name
        if not (slurm / "result.json").exists():
            found.append(slurm / "result.json")
            continue
        for name in ("predictions.jsonl", "head.safetensors", "vocabulary.json"):
            if (plain / name).read_bytes() != (slurm / name).read_bytes():
                found.append(slurm / name)
        if _scores(plain) != _scores(slurm):
            found.append(slurm / "result.json")
        if not _same_weights(*(run / "checkpoints" / "last.ckpt" for run in (plain, slurm))):
            found.append(slurm / "checkpoints" / "last.ckpt")
    return found


def _scores(run: Path) -> list[object]:
    """Return the scores and losses of every epoch."""
    result = json.loads((run / "result.json").read_text())
    epochs = [{k: v for k, v in epoch.items() if k != "seconds"} for epoch in result["history"]]
    return [result["status"], result["metrics"], result["elmo"], epochs]


def _same_weights(one: Path, other: Path) -> bool:
    """Compare the weights after the last epoch, which need not be the best."""
    a, b = (read_checkpoint(path)["state_dict"] for path in (one, other))
    return a.keys() == b.keys() and all(torch.equal(a[key], b[key]) for key in a)


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
