"""A run that is asked for again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bench.small import SMALL


def test_a_finished_run_is_shown_without_torch(finished_run: Path, snli_folder: Path) -> None:
    """Whose import would be nearly all of the time."""
    words = (*SMALL, f"data.dir={snli_folder}", f"paths.runs={finished_run.parents[1]}")
    command = [sys.executable, "-X", "importtime", "-m", "bench", *words]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "finished earlier" in shown.stdout + shown.stderr
    assert " torch\n" not in shown.stderr
    assert " pytorch_lightning\n" not in shown.stderr
