"""The runs of an ensemble: what they must have in common, and its name. No torch here."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.ensemble import PROGRAM
from bench.errors import RunError
from bench.records import Finished
from bench.run.record import Record

Examples = dict[str, str]  # the gold of each, as JSON, by id


def ensemble_id(run_ids: Iterable[str]) -> str:
    """The same for the same runs in any order."""
    return f"ensemble-{hashlib.sha256(' '.join(sorted(run_ids)).encode()).hexdigest()[:10]}"


def command(folders: Sequence[Path]) -> str:
    """What combines these runs, for a shell."""
    return f"{PROGRAM} {shlex.join(map(str, folders))}"


@dataclass(frozen=True, eq=False)
class Member:
    """A finished run."""

    folder: Path
    result: Finished

    @classmethod
    def of(cls, folder: Path) -> Member:
        """Raises RunError where `folder` holds no finished run."""
        result = Record(folder).finished()
        if result is None:
            raise RunError(f"{folder} is no finished run: it has no result.json that says so")
        if result.ensemble:
            raise RunError(f"{folder} is an ensemble itself: name its runs instead")
        return cls(folder, result)

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the run read, however much of it was trained on."""
        other = ("train_share", "fingerprint", "content", "stamp")
        data = {k: v for k, v in self.result.data.items() if k not in other}
        folder = data.get("dir")
        return {**data, "dir": folder and str(Path(folder).expanduser().resolve())}

    @cached_property
    def examples(self) -> dict[str, Examples]:
        """Those that were scored, split by split. Raises RunError."""
        path = self.folder / "predictions.jsonl"
        Record(self.folder).verify(path.name)
        found: dict[str, Examples] = {split: {} for split in self.result.metrics}
        try:
            with path.open(encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    found[row["split"]][row["id"]] = json.dumps(row["gold"])
        except (OSError, ValueError, KeyError) as error:
            raise RunError(f"{path} cannot be read ({error}): repeat the run") from None
        return found


def members(folders: Sequence[Path]) -> list[Member]:
    """Raises RunError, naming what differs, unless these are two or more finished runs of one task
    that were scored on the same examples."""
    if len(folders) < 2:
        raise RunError("an ensemble has two runs or more")
    found = [Member.of(folder) for folder in folders]
    names = [member.result.run_id for member in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"{twice[0]} is named twice")
    first = found[0]
    for other in found[1:]:
        if difference := _difference(first, other):
            raise RunError(f"{first.folder} and {other.folder} do not go together: {difference}")
    return found


def _difference(one: Member, other: Member) -> str | None:
    if one.result.task != other.result.task:
        return f"task={one.result.task} and task={other.result.task}"
    prints = [member.result.data.get("fingerprint") for member in (one, other)]
    if all(prints) and prints[0] != prints[1]:
        return "their data has other examples (data.fingerprint)"
    told = {"dir"} if all(prints) else set()  # the same examples, wherever they lie
    for key in sorted({*one.data, *other.data} - told):
        a, b = one.data.get(key), other.data.get(key)
        if a != b:
            return f"data.{key}={a} and data.{key}={b}"
    for split in splits([one, other]):
        a, b = one.examples[split], other.examples[split]
        if alone := a.keys() ^ b.keys():
            return f"{len(alone)} examples of {split}, such as {min(alone)}, are in one alone"
        if changed := [key for key in a if a[key] != b[key]]:
            return f"{split}: the gold of {len(changed)} examples, such as {changed[0]}, differs"
    return None


def splits(found: Sequence[Member]) -> list[str]:
    """Those in which all runs were scored."""
    return [s for s in found[0].examples if all(s in member.examples for member in found)]
