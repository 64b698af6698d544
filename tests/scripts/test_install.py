"""`scripts/install`, with stubs in place of Python: which environments it makes or leaves alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/install"
PYTHON = """#!/bin/sh
case "$*" in
  "-m venv "*) mkdir -p "$3/bin"; echo made > "$3/state"; cp whole "$3/bin/python" ;;
esac
"""
WHOLE = "#!/bin/sh\nexit 0\n"
WITHOUT_PIP = '#!/bin/sh\ncase "$*" in *"-m pip"*) exit 1 ;; esac\n'


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("before", "made"),
    [(None, True), (WITHOUT_PIP, True), (WHOLE, False)],
    ids=["none", "without pip", "whole"],
)
def test_an_environment_is_made_unless_a_whole_one_is_there(
    tmp_path: Path, before: str | None, made: bool
) -> None:
    python = script(tmp_path / "python", PYTHON)
    script(tmp_path / "whole", WHOLE)
    if before is not None:
        script(tmp_path / ".venv/bin/python", before)

    done = subprocess.run(
        [SCRIPT, python, ".venv"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert (tmp_path / ".venv/state").exists() == made
    assert done.stderr == ""


def test_a_python_that_is_not_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [SCRIPT, "python3.99", ".venv"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no python3.99 here" in done.stderr
    assert "older" not in done.stderr
