"""What Lightning does not take is one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.small import SMALL


def test_a_job_of_more_tasks_than_processes(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in (("JOB_NAME", "train.sh"), ("NTASKS", "4")):
        monkeypatch.setenv(f"SLURM_{name}", value)
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path}")
    assert bench(*SMALL, *folders, "elmo.placement=none") == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: trainer: You set `--ntasks=4`")
