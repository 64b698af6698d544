"""The script that trains the package's encoders, with a stand-in for Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
echo "$*" >> calls
case "$*" in
  *task_texts*) out=$4; mkdir -p "$out"; file=$out/text ;;
  *leaks*) for out; do :; done; [ ! -e "$out" ] || exit 1; mkdir "$out"; file=$out.leaks.json ;;
  *) exit 0 ;;
esac
case "$*" in *"$(cat dies)"*) exit 1 ;; esac
echo whole > "$file"
"""


@pytest.mark.parametrize("dies", ["task_texts.py train", "task_texts.py dev", "leaks"])
def test_what_was_half_written_is_made_anew(tmp_path: Path, dies: str) -> None:
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    (tmp_path / "out").mkdir()
    command = [str(ROOT / "scripts" / "own_encoders"), "data", "out"]
    for step, status in ((dies, 1), ("nothing", 0)):
        (tmp_path / "dies").write_text(step)
        done = subprocess.run(command, cwd=tmp_path, env={"PYTHON": "./python"}, check=False)
        assert done.returncode == status
    for name in ("tasks/text", "dev/text", "clean.leaks.json"):
        assert (tmp_path / "out" / name).is_file()
    calls = (tmp_path / "calls").read_text().splitlines()
    assert sum(dies in call for call in calls) == 2
