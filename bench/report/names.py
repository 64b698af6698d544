"""What papers call a task and its metric: as the task's own package says it, without torch."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

from bench.report.read import Run
from bench.run import trust


def natural(text: str) -> list[float | str]:
    """Return what sorts names by the numbers in them: `layers 2` before `layers 10`."""
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [float(part) if i % 2 else part for i, part in enumerate(parts)]


def task_name(run: Run) -> str:
    """Return `SST-5` for a run of `sst5`; the key itself where its package does not say."""
    return _titles(*_target(run))[0] or run.task


def metric_name(run: Run) -> str:
    """Return `CoNLL F1` for `conll_f1`; the key itself where its task's package does not say."""
    return _titles(*_target(run))[1] or run.result.metric


def _target(run: Run) -> tuple[str, tuple[str, ...]]:
    return str(run.choice["task"].get("_target_")), run.trusted


@cache
def _titles(target: str, trusted: tuple[str, ...]) -> tuple[str, str]:
    """Read TITLES of the package that has the class (tasks/base/lazy.py), if it is trusted."""
    package, _, name = target.rpartition(".")
    if not package or not trust.is_trusted(target, trusted):
        return "", ""
    try:
        found = getattr(import_module(package), "TITLES", {}).get(name, ("", ""))
        task, metric = found
    except Exception:  # of a package that is not ours: its names are no reason to have no report
        return "", ""
    return str(task), str(metric)
