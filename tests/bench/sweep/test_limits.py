"""What a process may use of this machine."""

from __future__ import annotations

import os

from bench.sweep import limits


def test_this_machine() -> None:
    assert 1 <= limits.usable_cores() <= (os.cpu_count() or 1)
