"""Compares a small Table 2 through `plan=slurm`, each run stopped on its way, with the plain one.

    python -m tests.cluster.rehearsal FOLDER

Slurm must answer (`sinfo`); `one_node.sh` makes one. In FOLDER both are left to be looked at.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import torch

from elmo_core.lightning import read_checkpoint
from tests.conftest import TINY_ENCODER

WORDS = (
    *("experiment=table2", "task=ner", "seed=1", "trainer=cpu", *TINY_ENCODER),
    *("data.train_share=0.1", "task.hidden=[8,8]", "training.max_epochs=10"),
)
RUNS = 4
SIZE = ("--cpus-per-task=1", "--mem=2G", "--time=30")


def main() -> None:
    """Do both, and compare; exit with status 1 if a file differs, or a run was not stopped."""
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "submit.sh"
    script.write_text(_bench(folder, "slurm", "plan=slurm"))
    print(_said("bash", str(script), *SIZE), end="", flush=True)
    stopped = _stop_each_once(folder / "slurm" / ".slurm" / "table2")
    print(_bench(folder, "plain"), end="")
    wrong = [f"{path}: differs, or is not there" for path in _differences(folder)]
    wrong += [] if stopped == RUNS else [f"only {stopped} of {RUNS} runs were stopped"]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{RUNS} runs, each stopped once: equal to the bit")


def _bench(folder: Path, runs: str, *more: str) -> str:
    """Do the sweep, or plan it, in folders of its own; return what it said."""
    own = (f"paths.runs={folder / runs}", f"features.dir={folder / f'{runs}-features'}")
    return _said(sys.executable, "-m", "bench", *WORDS, *own, *more)


def _stop_each_once(logs: Path) -> int:
    """Wait for all jobs, and stop each run once, by the signal that announces the time limit.

    Slurm holds a requeued job for two minutes, which are not waited for here.

    Returns:
        How many runs were stopped and began anew.
    """
    stopped, again = set[str](), set[str]()
    while queue := _said("squeue", "--noheader", "--array", "--format=%i %j %T").splitlines():
        for name, job, state in (line.split() for line in queue):
            if state == "PENDING" and name in stopped:
                subprocess.run(["scontrol", "update", f"JobId={name}", "StartTime=now"])
                again.add(name)
            elif state == "RUNNING" and job == "table2" and name not in stopped:
                log = logs / f"{job}-{name}.log"
                if log.exists() and "epoch 2: " in log.read_text():
                    _said("scancel", "--signal=USR1", "--batch", name)
                    stopped.add(name)
        time.sleep(0.5)
    return len(again)


def _differences(folder: Path) -> list[Path]:
    """Return the files of the runs that are missing, or not the same; times are left out."""
    found = []
    for plain in sorted((folder / "plain" / "ner").iterdir()):
        slurm = folder / "slurm" / "ner" / plain.name
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
    a, b = (read_checkpoint(path, "cpu")["state_dict"] for path in (one, other))
    return a.keys() == b.keys() and all(torch.equal(a[key], b[key]) for key in a)


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
