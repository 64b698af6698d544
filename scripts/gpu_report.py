#!/usr/bin/env python
"""Everything that wants a GPU, in one command, in one report: `make gpu`.

    python scripts/gpu_report.py [--accelerator cpu] [--out gpu-report.json]

The tests of tests/gpu and of the encoders; features, store and training steps of all tasks
(`bench.speed`); the speed of pretraining. In under 25 minutes; a part that takes too long is ended
and said to be. `--accelerator cpu` tries every part, with little work, where there is no GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import torch

from bench.run.provenance import device_name

ROOT = Path(__file__).resolve().parents[1]
WORDS = 30_000  # spellings: more than twice the negatives, so that the softmax is sampled


@dataclass
class Part:
    """A command of the report, and what came of it."""

    name: str
    command: list[str]
    most: int  # seconds
    status: str = ""
    seconds: float = 0.0
    found: Any = None  # what it printed, as JSON where it is JSON

    def run(self) -> None:
        print(f"{self.name}: {' '.join(self.command[1:])}", file=sys.stderr, flush=True)
        began = time.perf_counter()
        try:
            done = subprocess.run(
                self.command, cwd=ROOT, capture_output=True, text=True, timeout=self.most
            )
            self.status = "done" if done.returncode == 0 else f"exit status {done.returncode}"
            self.found = read(done.stdout if done.returncode == 0 else done.stdout + done.stderr)
        except subprocess.TimeoutExpired:
            self.status = f"ended after {self.most} s"
        self.seconds = round(time.perf_counter() - began, 1)
        print(f"{self.name}: {self.status}, {self.seconds:.0f} s", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--accelerator", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--out", type=Path, default=Path("gpu-report.json"))
    given = parser.parse_args()
    if given.accelerator == "cuda" and not torch.cuda.is_available():
        print("no GPU is found here; --accelerator cpu tries the parts", file=sys.stderr)
        return 0
    os.environ["ELMO_BENCH_TRIED_ON"] = given.accelerator
    os.environ["PYTHONPATH"] = str(ROOT)
    report: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "device": device_name(given.accelerator),
        "platform": platform.platform(),
        "torch": str(torch.__version__),
        "parts": [],
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        for part in parts(given.accelerator, Path(folder)):
            part.run()
            report["parts"].append(asdict(part))  # written at once: the next may be stopped
            given.out.write_text(
                json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
    print(f"{given.out} is the report", file=sys.stderr)
    return int(any(part["status"] != "done" for part in report["parts"]))


def parts(device: str, folder: Path) -> Iterator[Part]:
    """Yield the parts, in order; on a CPU with little work."""
    trial = device == "cpu"
    python = [sys.executable]
    tests = ["tests/gpu"] if trial else ["tests/gpu", "tests/elmo_core/encoders"]
    yield Part("tests", [*python, "-m", "pytest", "-m", "gpu", "--tb=short", *tests], 720)
    speed = [*python, "-m", "bench.speed", "--json", f"trainer.accelerator={device}"]
    if trial:
        little = ["--sentences=20", "--seconds=0.1", "--steps=1", "--tasks", "pos"]
        yield Part("speed", [*speed, *little], 300)
    else:
        published = ["encoder=random", "encoder.shape=elmo-original"]
        yield Part("speed", [*speed, *published, "--sentences=4000", "--steps=10"], 420)
    text, corpus = folder / "text.txt", folder / "corpus"
    text.write_text(zipfs_text(1_000 if trial else 40_000), encoding="utf-8")
    prepare = ["prepare", str(text), "-o", str(corpus), "--heldout=0.3", "--min-count=1"]
    yield Part("corpus", [*python, "-m", "elmo_core.pretraining", *prepare], 120)
    for precision in ("fp32", "bf16"):
        speed_of = ["scripts/pretraining_speed.py", str(corpus), f"--device={device}"]
        size = ["--options=mini", "--steps=1"] if trial else ["--options=original"]
        yield Part(
            f"pretraining, {precision}",
            [*python, *speed_of, f"--precision={precision}", *size],
            120,
        )


def zipfs_text(lines: int) -> str:
    """Return sentences of 16 made-up words, the n-th of which is as frequent as 1/n."""
    random = Random(0)
    words = [f"{'bcdfghklmnprst'[n % 14]}{'aeiou'[n % 5]}{n:x}" for n in range(WORDS)]
    drawn = random.choices(words, [1 / n for n in range(1, WORDS + 1)], k=16 * lines)
    return "".join(" ".join(drawn[i : i + 16]) + " .\n" for i in range(0, len(drawn), 16))


def read(text: str) -> Any:
    """Return what was printed, as JSON where it is JSON, else its last forty lines."""
    try:
        return json.loads(text)
    except ValueError:
        return text.splitlines()[-40:]


if __name__ == "__main__":
    sys.exit(main())
