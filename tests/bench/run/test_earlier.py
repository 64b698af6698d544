"""A run that is asked for again."""

from __future__ import annotations

import os
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


def test_torch_comes_after_what_must_precede_it(snli_folder: Path, tmp_path: Path) -> None:
    """Also where the data folder was never hashed before, which brings torch."""
    words = (*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path}")
    code = (
        "import os, sys\nfrom elmo_core import cores\n"
        "cores.share = lambda: (print('torch' in sys.modules, flush=True), os._exit(0))\n"
        f"sys.argv = ['bench', *{words!r}]\nfrom bench.cli import main\nmain()"
    )
    environment = {**os.environ, "ELMO_BENCH_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert said.stdout.split() == ["False"]
