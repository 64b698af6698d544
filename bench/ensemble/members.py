"""The runs of an ensemble: what they must have in common, and its name. No torch here."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from bench.choice import DRAW, Choice, by_contents, leaves
from bench.ensemble import PROGRAM
from bench.errors import RunError
from bench.records import Finished
from bench.run import trust
from bench.run.record import Record, trained_run

Examples = dict[str, str]  # the gold of each, as JSON, by id
JUDGED = re.compile(r"seed|data\.(?!train_share)")
"""Keys in which members may differ, or by whose examples they were judged."""


def ensemble_id(run_ids: Iterable[str]) -> str:
    """The same for the same runs in any order."""
    return f"ensemble-{hashlib.sha256(' '.join(sorted(run_ids)).encode()).hexdigest()[:10]}"


def command(folders: Sequence[Path], mixed: bool = False, trusted: Iterable[str] = ()) -> str:
    """What combines these runs, which need these packages, for a shell."""
    words = [*["--mixed"] * mixed, *map(str, folders), *trust.flags(trusted)]
    return f"{PROGRAM} {shlex.join(words)}"


@dataclass(frozen=True, eq=False)
class Member:
    """A finished run."""

    folder: Path
    result: Finished

    @classmethod
    def of(cls, folder: Path) -> Member:
        """Raises RunError where `folder` holds no finished run, or one that is not combined."""
        result = trained_run(folder)
        if result.data.get("control"):
            raise RunError(
                f"{folder} has learned a control task's labels (data.control=true), which say what "
                "one probe learns by heart: such runs are not combined"
            )
        return cls(folder, result)

    @cached_property
    def choice(self) -> dict[str, Any]:
        """What decides the run's numbers, by dotted key, the seed and the data aside."""
        values = by_contents(Choice.of(self.cfg).values, self.result)
        return {key: value for key, value in leaves(values) if not JUDGED.match(key)}

    @property
    def draws(self) -> bool:
        """Whether its seed has drawn its encoder, too (encoder=random_by_seed)."""
        return self.choice.get("encoder.seed") == self.result.seed

    @cached_property
    def cfg(self) -> DictConfig:
        return trust.typed(self.folder / "config.yaml")

    def value(self, key: str) -> Any:
        """Return the value of a key, of which a choice leaves out what stands at its default."""
        return self.choice.get(key, OmegaConf.select(self.cfg, key))

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the run read, however much of it was trained on."""
        other = ("train_share", "fingerprint", "content", "stamp", "vectors")
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
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunError(f"{path} cannot be read ({error}): repeat the run") from None
        return found


def members(folders: Sequence[Path], mixed: bool) -> list[Member]:
    """Return the runs in `folders`, as members of one ensemble.

    Args:
        folders: The runs'.
        mixed: Whether they may differ in more than their seed.

    Raises:
        RunError: They are not two or more finished runs of one task that were scored on the same
            examples and, unless `mixed`, chosen alike but for the seed. It names what differs.
    """
    if len(folders) < 2:
        raise RunError("an ensemble has two runs or more: --seeds RUN takes all seeds of one run")
    found = [Member.of(folder) for folder in folders]
    names = [member.result.run_id for member in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"{twice[0]} is named twice")
    first = found[0]
    for other in found[1:]:
        if told := difference(first, other):
            raise RunError(f"{first.folder} and {other.folder} do not go together: {told}")
        if not mixed and (told := choice_difference(first, other)):
            raise RunError(
                f"{first.folder} and {other.folder} differ in more than the seed: {told}; "
                "--mixed combines them all the same, --seeds RUN takes all seeds of one run"
            )
    return found


def all_seeds(folder: Path) -> list[Path]:
    """Return the folder of a finished run, and those beside it of the same run with other seeds.

    Of a run and its backup copies it is the folder that the run id names, where that is there.
    Raises RunError where `folder` holds no finished run, or none stands beside it.
    """
    first = Member.of(folder)
    beside = (path for path in sorted(folder.parent.iterdir()) if path.name != folder.name)
    found = [other for path in beside if (other := _other_seed(first, path))]
    found.sort(key=lambda member: member.folder.name == member.result.run_id)
    others = {member.result.run_id: member for member in found}
    others.pop(first.result.run_id, None)
    if not others:
        raise RunError(f"{folder}: no run beside it is finished and differs in the seed alone")
    every = sorted([first, *others.values()], key=lambda member: member.result.seed)
    return [member.folder for member in every]


def _other_seed(first: Member, folder: Path) -> Member | None:
    """Return the run in `folder`, if it is `first` with another seed."""
    try:
        other = Member.of(folder)
        differ = choice_difference(first, other) or difference(first, other)
    except RunError:  # not finished, an ensemble, an evaluation, or damaged
        return None
    return None if differ else other


def choice_difference(one: Member, other: Member) -> str | None:
    """Say in which key two runs were chosen otherwise, the seed and the data aside, if in any."""
    ours, theirs = one.choice, other.choice
    keys = {key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)}
    if not keys or (one.draws and other.draws and keys <= {f"encoder.{key}" for key in DRAW}):
        return None
    # A key that both have tells more: without ELMo, for one, a choice has no encoder.
    key = min(keys, key=lambda key: (key not in ours or key not in theirs, key))
    return f"{key}={one.value(key)} and {key}={other.value(key)}"


def difference(one: Member, other: Member) -> str | None:
    """Say in what two runs differ that cannot be combined, if in anything."""
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
