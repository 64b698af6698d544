"""`python -m tests.faults.kills --seed 1 --count 10`: small runs are killed, resumed and compared.

Each trial kills one run by SIGKILL: at a random moment, or around a file's commit (before it is
renamed, with its temporary file cut in half, or after). Then a checkpoint is damaged, in every
second trial. The same command then goes on to the end, and what it leaves is compared, byte for
byte, with what the same run leaves undisturbed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.damage import KINDS
from tests.faults.runs import RUNS, Undisturbed, left, words

COMMITS = 14  # files that such a run writes, about

AT_A_COMMIT = """
import os, signal, sys
number, how = int(sys.argv.pop(1)), sys.argv.pop(1)
replace, calls = os.replace, []

def dying(source, target, **options):
    calls.append(target)
    if len(calls) == number and how == "half":
        os.truncate(source, os.path.getsize(source) // 2)
    if len(calls) == number and how == "after":
        replace(source, target, **options)
    if len(calls) == number:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target, **options)

os.replace = dying
from bench.__main__ import main
main()
"""


@dataclass(frozen=True)
class Kill:
    """How a run dies: after so many seconds, or at its n-th commit, `before`, `half` or `after`."""

    seconds: float = 0.0
    commit: int = 0
    how: str = ""

    @classmethod
    def drawn(cls, chance: random.Random, seconds: float) -> Kill:
        """Draw one; an undisturbed run takes so many seconds."""
        if chance.random() < 0.5:
            return cls(seconds=chance.uniform(0.3, 1.0) * seconds)
        how = chance.choice(("before", "half", "after"))
        return cls(commit=chance.randint(1, COMMITS), how=how)

    def __str__(self) -> str:
        return f"commit {self.commit} ({self.how})" if self.commit else f"{self.seconds:.1f} s"


def go(given: list[str], kill: Kill | None = None) -> int:
    """Do a run in a process of its own, which is perhaps killed; return the exit status."""
    command = [sys.executable, "-m", "bench", *given]
    if kill and kill.commit:
        command = [sys.executable, "-c", AT_A_COMMIT, str(kill.commit), kill.how, *given]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(kill.seconds if kill and kill.seconds else None)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


class Campaign:
    """Trials, one after another, in a folder of their own."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.undisturbed, self.killed = Undisturbed(folder), 0

    def trial(self, number: int) -> str | None:
        """Kill a run, resume it and compare; return what is wrong, or None."""
        name = self.chance.choice(sorted(RUNS))
        whole, seconds = self.undisturbed(name)
        kill, runs = Kill.drawn(self.chance, seconds), self.folder / str(number)
        fresh = self.chance.random() < 0.5  # whether features have to be computed again
        if fresh:
            shutil.rmtree(self.folder / "cache" / "features", ignore_errors=True)
        killed = go(words(name, runs), kill) == -signal.SIGKILL
        self.killed += killed
        harm = self._harm(runs)
        said = f"trial {number}: {name}, {kill}{'' if killed else ' (ended before)'}{harm}"
        print(said, file=sys.stderr, flush=True)
        half = [path for path in runs.rglob("*.json") if not _is_whole(path)]
        status = go(words(name, runs))
        if half:
            return f"{said}: half-written {half[0].name}"
        if status:
            return f"{said}: status {status} when resumed"
        found = left(runs)
        differs = [key for key, value in whole.items() if found[key] != value]
        return f"{said}: {', '.join(differs)} differ" if differs else None

    def _harm(self, runs: Path) -> str:
        """Damage one of the checkpoints that are there, every second time; say what was done."""
        found = sorted(runs.glob("*/*/checkpoints/*.ckpt"))
        if not found or self.chance.random() < 0.5:
            return ""
        path, damage = self.chance.choice(found), self.chance.choice(sorted(KINDS))
        KINDS[damage](path)
        return f", then {path.name}: {damage}"


def _is_whole(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


def main() -> None:
    """Run the campaign; exit with 1 where a trial is bad, or none was killed."""
    parser = argparse.ArgumentParser("python -m tests.faults.kills", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (default: 1)")
    parser.add_argument("--count", type=int, default=10, help="trials (default: 10)")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), given.seed)
        bad = [wrong for i in range(given.count) if (wrong := campaign.trial(i))]
    for wrong in bad:
        print(f"bad: {wrong}")
    tried = f"{given.count} tried, {campaign.killed} killed before their end"
    print(f"kills: {tried}, {given.count - len(bad)} fine, {len(bad)} bad")
    sys.exit(bool(bad) or not campaign.killed)


if __name__ == "__main__":
    main()
