"""The downstream tasks: data → model → score, each a folder of its own.

A task is a sub-package `tasks.<name>` with a `task.py` that defines one `Task` (see
`tasks/task.py`) and a file `conf/task/<name>.yaml`. Nothing else knows a task by name.
"""

from __future__ import annotations

from pathlib import Path


def names() -> list[str]:
    """Return the name of every task found in this package, sorted."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/task.py"))
