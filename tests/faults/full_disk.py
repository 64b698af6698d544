"""Runs on a disk that fills up: `python -m tests.faults.full_disk --seed 1 --count 4`.

Each trial mounts a small file system (Linux, for a user who may), fills it but for a few kilobytes
and starts a run there. The run ends well, or with status 2 and one line that says so; once there is
room, the same command leaves what it leaves undisturbed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.runs import RUNS, Undisturbed, left, words

SIZE = 64  # MiB
MOST_FREE = 3000  # KiB when the run starts


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a small file system at `folder`. Raises OSError where that is not allowed."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, text=True)
    except FileNotFoundError:
        raise OSError("there is no `mount` here") from None
    if done.returncode:
        raise OSError(done.stderr.strip() or "mounting is refused")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def trial(name: str, kilobytes: int, disk: Path, undisturbed: Undisturbed) -> str | None:
    """Start a run with so much room, then again with enough; return what is wrong, or None."""
    whole, _ = undisturbed(name)
    filler, runs = disk / "filler", disk / "runs"
    with filler.open("wb") as file:
        for _ in range((shutil.disk_usage(disk).free >> 10) - kilobytes):
            file.write(bytes(1024))
    command = [sys.executable, "-m", "bench", *words(name, runs), f"features.dir={disk / 'x'}"]
    first = subprocess.run(command, capture_output=True, text=True)
    filler.unlink()
    if first.returncode not in (0, 2) or "Traceback" in first.stderr:
        return f"status {first.returncode}: {first.stderr.splitlines()[-1:]}"
    if first.returncode and first.stderr.count("error: disk full: make room") != 1:
        return f"not one line about the disk: {first.stderr.splitlines()[-3:]}"
    if again := subprocess.run(command, capture_output=True).returncode:
        return f"status {again} with enough room"
    differs = [key for key, value in left(runs).items() if value != whole[key]]
    return f"{', '.join(differs)} differ" if differs else None


def main() -> None:
    """Run the campaign; exit with 1 where a trial is bad."""
    parser = argparse.ArgumentParser("python -m tests.faults.full_disk", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (default: 1)")
    parser.add_argument("--count", type=int, default=4, help="trials (default: 4)")
    given = parser.parse_args()
    drawn, bad = random.Random(given.seed), 0
    with TemporaryDirectory() as folder:
        undisturbed = Undisturbed(Path(folder))
        for number in range(given.count):
            name, kilobytes = drawn.choice(sorted(RUNS)), drawn.randint(0, MOST_FREE)
            disk = Path(folder, f"disk-{number}")
            with ExitStack() as mounted:
                try:
                    mounted.enter_context(small_disk(disk))
                except OSError as error:
                    print(f"full disk: skipped ({error})")
                    sys.exit(bool(bad))
                try:
                    wrong = trial(name, kilobytes, disk, undisturbed)
                except OSError as error:  # a file that the run should have left
                    wrong = str(error)
            print(f"trial {number}: {name}, {kilobytes} KiB free", file=sys.stderr, flush=True)
            if wrong:
                bad += 1
                print(f"bad: {name}, {kilobytes} KiB free: {wrong}")
    print(f"full disk: {given.count} tried, {given.count - bad} fine, {bad} bad")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
