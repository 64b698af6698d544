"""What earlier versions wrote, turned into what this version reads. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ON_TEST = ("Table 1", "Table 5", "Table 6", "Table 8", "Table 9")
"""Those of the paper's tables whose scores are of test sets."""


def paper_split(source: str) -> str | None:
    """Return the split of the paper's numbers, for an experiment's file that does not say it.

    >>> paper_split("Peters et al. 2018, Table 1")
    'test'
    """
    paper, _, part = source.partition(", ")
    if paper != "Peters et al. 2018":
        return None
    return "test" if part in ON_TEST else "dev"


def converted(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a result.json of schema 1 as that of schema 2.

    Schema 1 counted epochs from 0, and an ensemble's best one was -1. It has no steps, no
    provenance and no fingerprint of the data, which stay unknown.
    """
    changed = dict(content)
    if "best_epoch" in content:
        changed["best_epoch"] = content["best_epoch"] + 1
    if "history" in content:
        changed["history"] = [{**each, "epoch": each["epoch"] + 1} for each in content["history"]]
    return changed
