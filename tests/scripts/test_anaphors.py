"""The script that counts how texts speak of what they have mentioned before."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tasks import smallworld
from tests.tasks.smallworld.anaphors import anaphors

ROOT = Path(__file__).parents[2]


def test_it_counts_as_the_tests_of_the_built_in_set_do() -> None:
    path = smallworld.ensure("coref") / "dev.conll"
    command = [sys.executable, "scripts/anaphors.py", str(path)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    shares = dict(re.findall(r": (\w+)(?: noun)?: ([\d.]+) %", said))
    found = Counter(how for how, _, _ in anaphors("dev"))
    assert shares == {how: f"{100 * n / found.total():.1f}" for how, n in found.items()}
