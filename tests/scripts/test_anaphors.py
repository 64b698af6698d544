"""The script that counts how texts speak of what they have mentioned before."""

from __future__ import annotations

import re
from collections import Counter

from tasks import smallworld
from tests.scripts.conftest import Script
from tests.tasks.smallworld.anaphors import anaphors


def test_it_counts_as_the_tests_of_the_built_in_set_do(script: Script) -> None:
    status, said, _ = script("anaphors.py", smallworld.ensure("coref") / "dev.conll")
    assert status == 0
    shares = dict(re.findall(r": (\w+)(?: noun)?: ([\d.]+) %", said))
    found = Counter(how for how, _, _ in anaphors("dev"))
    assert shares == {how: f"{100 * n / found.total():.1f}" for how, n in found.items()}
