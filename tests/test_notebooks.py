"""The notebooks: plain to read, kept without output, and doing what they say."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def source(path: Path) -> str:
    """All code of a notebook, in order."""
    return "\n\n".join("".join(cell["source"]) for cell in cells(path, "code"))


def test_there_is_one() -> None:
    assert "layers" in [path.stem for path in NOTEBOOKS]


@each
def test_it_is_a_notebook_without_output(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) >= (4, 5)
    names = [cell["id"] for cell in content["cells"]]
    assert len(set(names)) == len(names)
    assert {cell["cell_type"] for cell in content["cells"]} == {"markdown", "code"}
    for cell in cells(path, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@each
def test_its_code_parses(path: Path) -> None:
    for cell in cells(path, "code"):
        ast.parse("".join(cell["source"]))


@pytest.mark.slow
@each
def test_its_code_runs_in_order(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-"],
        input=source(path),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for shown in (
        "Layers of elmo-mini",
        "selectivity",
        "λ = 10.0",
        "(forward ",  # perplexities
        "Layers of my-elmo",
    ):
        assert shown in done.stdout
    assert (tmp_path / "atlas.html").is_file()
    assert (tmp_path / "mine.html").is_file()
