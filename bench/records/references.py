"""A file of reference results: runs and experiments, a JSON line each, small enough for git.

    {"schema": 1, "written_as": 2, "run": …, "choice": …, "examples": {"test": {"ids": …, …}}}
    {"schema": 1, "experiment": …, "file": …}

`run` is a run's result.json, of whose history only the primary metric is kept. Of predictions there
is what intervals need: each example's counts (tasks/task.py) and cluster, and a hash of the ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.records.arrays import Array, packed, unpacked
from bench.records.results import Finished, parsed
from elmo_core import strict_json
from elmo_core.whole_files import write_text

SCHEMA = 1
SHOWN: dict[str, dict[str, Any]] = {
    "task": {"name": str},
    "data": {"name": str, "train_share": int | float},
    "encoder": {"seed": int | float | str},
    "trainer": {"precision": str | int, "limit_batches": int},
    "training": {"batch_size": int},
}
"""Sections of a choice that reports read, with the types of the keys that they show or compare."""


@dataclass(frozen=True)
class Scored:
    """The examples of a split, sorted by id, without what was predicted.

    Attributes:
        ids: A hash of their ids.
        clusters: The number of each one's cluster, (examples,); None where nobody knows.
        counts: What each adds to the score, (examples, numbers).
    """

    ids: str
    clusters: Array | None
    counts: Array

    def to_json(self) -> dict[str, Any]:
        """Return it packed. Clusters are written as steps from one to the next."""
        clusters = self.clusters
        steps = None if clusters is None else np.diff(clusters.astype(np.int64), prepend=0)
        return {
            "ids": self.ids,
            "clusters": None if steps is None else packed(steps),
            "counts": packed(self.counts),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Scored:
        """Unpack it. Raises ValueError, KeyError or TypeError for what `to_json` does not write."""
        steps, counts = content["clusters"], unpacked(content["counts"])
        clusters = None if steps is None else np.cumsum(unpacked(steps)).astype(np.int64)
        if counts.ndim != 2 or (clusters is not None and clusters.shape != counts.shape[:1]):
            raise ValueError("counts and clusters of unlike shapes")
        return cls(str(content["ids"]), clusters, counts)


@dataclass(frozen=True)
class Reference:
    """A finished run without its folder: what it was, what came of it, what it was scored on."""

    result: Finished
    choice: Mapping[str, Any]  # what decides its numbers, the seed aside
    examples: Mapping[str, Scored]  # by split

    def to_json(self) -> dict[str, Any]:
        """Return a line of the file."""
        run, metric = self.result.to_json(), self.result.metric
        run.pop("files", None)
        for epoch in run["history"]:
            epoch["dev"] = {metric: epoch["dev"][metric]}
        examples = {split: each.to_json() for split, each in self.examples.items()}
        line = {"schema": SCHEMA, "written_as": self.result.written_as, "run": run}
        return {**line, "choice": dict(self.choice), "examples": examples}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Reference:
        """Read a line. Raises ValueError, KeyError, TypeError or AttributeError."""
        result, choice = parsed(line["run"]), line["choice"]
        if not isinstance(result, Finished):
            raise ValueError("a run that is not finished")
        check_shown(choice)
        examples = {split: Scored.from_json(each) for split, each in line["examples"].items()}
        result = replace(result, written_as=int(line["written_as"]))
        return cls(result, choice, examples)


def check_shown(choice: Mapping[str, Any]) -> None:
    """Look at the sections of a choice that reports read, since anyone may have written it.

    Raises KeyError or TypeError where a section, or a key of SHOWN, is missing or mistyped.
    """
    _ = choice["task"]["name"], choice["data"]["name"]
    if not isinstance(vectors := choice.get("word_vectors"), str | None):
        raise TypeError(f"word_vectors: {str(vectors)[:40]!r}")
    for name, types in SHOWN.items():
        section = {} if choice.get(name) is None else choice[name]
        if not isinstance(section, Mapping):
            raise TypeError(f"{name}: {str(section)[:40]!r}")
        for key, kind in types.items():
            if not isinstance(section.get(key), kind | None):
                raise TypeError(f"{name}.{key}: {str(section[key])[:40]!r}")


def write_references(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of these lines."""
    write_text(path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))


def parsed_line(text: bytes) -> dict[str, Any]:
    """Parse a line of the file. Raises ValueError, KeyError or TypeError for what is none."""
    line: dict[str, Any] = strict_json.loads(text.decode("utf-8"))
    if line["schema"] != SCHEMA:
        raise ValueError(f"schema {line['schema']}, this version reads {SCHEMA}")
    return line
