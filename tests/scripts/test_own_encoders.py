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


def test_a_text_of_which_nothing_is_held_out_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "python").write_text(
        '#!/bin/sh\necho "$*" >> calls\ncase "$*" in *evaluate*short) exit 2 ;; esac\n'
    )
    (tmp_path / "python").chmod(0o755)
    heldout = tmp_path / "out" / "corpus" / "heldout" / "clean"
    for folder in (heldout, tmp_path / "out" / "tasks", tmp_path / "out" / "dev"):
        folder.mkdir(parents=True)
    for name in ("clean.leaks.json", "corpus/report.json", "corpus/heldout/clean/long"):
        (tmp_path / "out" / name).write_text("a")
    (heldout / "short").touch()
    command = [str(ROOT / "scripts" / "own_encoders"), "data", "out"]
    subprocess.run(command, cwd=tmp_path, env={"PYTHON": "./python"}, check=True)
    calls = (tmp_path / "calls").read_text()
    assert calls.count("export") == calls.count("clean/long") == 2
    assert "clean/short" not in calls
