"""The notebooks: plain to read, kept without output, and doing what they say."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
OURS = ("bench", "elmo_core", "tasks")
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_of(path: Path) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def source(path: Path) -> str:
    """All code of a notebook, in order."""
    return "\n\n".join("".join(cell["source"]) for cell in code_of(path))


def test_there_is_one() -> None:
    assert "layers" in [path.stem for path in NOTEBOOKS]


@each
def test_it_is_a_notebook_without_output(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) >= (4, 5)
    names = [cell["id"] for cell in content["cells"]]
    assert len(set(names)) == len(names)
    assert {cell["cell_type"] for cell in content["cells"]} == {"markdown", "code"}
    for cell in code_of(path):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


def imported(tree: ast.Module) -> Iterator[tuple[str, object]]:
    """What the code takes from this project, by the name that it gives it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in OURS:
            module = import_module(str(node.module))
            for name in node.names:
                part = getattr(module, name.name, None)
                part = part or import_module(f"{node.module}.{name.name}")
                yield name.asname or name.name, part


@each
def test_its_calls_are_as_the_functions_are(path: Path) -> None:
    """Each has the arguments that the function needs, and none besides."""
    tree = ast.parse(source(path))
    known, calls = dict(imported(tree)), 0
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        first, *rest = ast.unparse(call.func).split(".")
        if first in known and len(rest) < 2:
            function: Any = getattr(known[first], rest[0]) if rest else known[first]
            names = {word.arg: word.value for word in call.keywords if word.arg}
            inspect.signature(function).bind(*call.args, **names)
            calls += 1
    assert calls


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
