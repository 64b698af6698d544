"""Small runs in processes of their own, and what each leaves: for campaigns that compare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.bench.small import SMALL

RUNS: dict[str, tuple[str, ...]] = {
    "input": ("elmo.placement=input",),
    "both, averaged": ("elmo.placement=input+output", "training.ema=0.9"),
    "no ELMo": ("elmo.placement=none",),
    "live": ("elmo.placement=input", "features=live"),
}
ALL = ("training.max_epochs=4", "data.train_share=0.02")
LEFT = ("predictions.jsonl", "head.safetensors", "vocabulary.json")


def words(name: str, runs: Path) -> list[str]:
    """Return the words of `python -m bench` for one of `RUNS`, recorded in `runs`."""
    return [*SMALL, *ALL, *RUNS[name], f"paths.runs={runs}"]


def left(runs: Path) -> dict[str, Any]:
    """Return what the only finished run in `runs` left."""
    (result,) = runs.glob("*/*/result.json")
    return of_run(result.parent)


def of_run(folder: Path) -> dict[str, Any]:
    """Return what a finished run left: its record without clock times, and its files' bytes."""
    record: dict[str, Any] = json.loads((folder / "result.json").read_text())
    del record["timing"], record["provenance"]
    for epoch in record["history"]:
        del epoch["seconds"]
    return {"record": record, **{name: (folder / name).read_bytes() for name in LEFT}}


class Undisturbed:
    """What each run leaves when nothing happens to it: done once, when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, tuple[dict[str, Any], float]] = {}
        os.environ["ELMO_BENCH_CACHE"] = str(folder / "cache")

    def __call__(self, name: str) -> tuple[dict[str, Any], float]:
        """Return what the run left, and the seconds that it took."""
        if name not in self.known:
            runs, started = self.folder / f"undisturbed-{len(self.known)}", time.monotonic()
            command = [sys.executable, "-m", "bench", *words(name, runs)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{name}, without any fault: {done.stderr.splitlines()[-1:]}")
            self.known[name] = left(runs), time.monotonic() - started
        return self.known[name]
