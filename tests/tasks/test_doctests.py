"""The examples in the docstrings of tasks/ give what they say."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import tasks

ROOT = Path(tasks.__file__).parents[1]
WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "tasks").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_hold(module: str) -> None:
    failed, attempted = doctest.testmod(import_module(module))
    assert attempted > 0
    assert failed == 0
