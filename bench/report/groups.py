"""All runs, grouped by choice: those that differ in their seed alone stand together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bench.report.grid import Scores
from bench.report.records import Run
from elmo_core.choices import PLACEMENTS

SHOWN = (
    "task.name",
    "data.name",
    "data.dir",
    "data.set",
    "encoder",
    "elmo.placement",
    "elmo.layers",
    "elmo.l2",
    "ensemble",
)


@dataclass(frozen=True)
class Group:
    """Finished runs of one choice, by seed."""

    runs: tuple[Run, ...]
    differs: str  # what else tells it from others of its task and data, as KEY=VALUE …

    @property
    def first(self) -> Run:
        return self.runs[0]

    @property
    def elmo(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.first.result["elmo"]
        return found

    @property
    def label(self) -> str:
        """The mix in a few words: `input · all · λ=0.1`."""
        parts = [f"{self.first.ensemble} together"] if self.first.ensemble else []
        parts.append(str(self.elmo["placement"]))
        if "layers" in self.elmo:
            parts.append(f"layers {self.elmo['layers']}")
        if "l2" in self.elmo:
            parts.append(f"λ={self.elmo['l2']:g}")
        return " · ".join(parts)

    def scores(self, split: str) -> Scores | None:
        values = [value for run in self.runs if (value := run.score(split)) is not None]
        return Scores(tuple(values)) if values else None

    @property
    def epochs(self) -> float:
        return fmean(run.result["epochs"] for run in self.runs)

    @property
    def seconds(self) -> float:
        return fmean(run.seconds for run in self.runs)

    @property
    def parameters(self) -> int | None:
        found = self.first.result.get("counts", {}).get("trainable_parameters")
        return int(found) if found is not None else None


def groups(runs: Sequence[Run]) -> list[Group]:
    """Sorted by task, data, encoder, placement and the rest; the seeds of each ascending."""
    by_choice: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_choice[json.dumps([run.task, run.choice], sort_keys=True, default=str)].append(run)
    alike: defaultdict[tuple[str, str], list[list[Run]]] = defaultdict(list)
    for together in by_choice.values():
        together.sort(key=lambda run: run.seed)
        alike[together[0].task, together[0].data].append(together)
    found = [group for family in alike.values() for group in _told_apart(family)]
    return sorted(found, key=_order)


def _told_apart(family: Sequence[Sequence[Run]]) -> Iterator[Group]:
    """Groups of one task and data, each with those keys that do not say the same everywhere."""
    leaves = [dict(_leaves(runs[0].choice)) for runs in family]
    keys = {key for each in leaves for key in each if not key.startswith(SHOWN)}
    for runs, each in zip(family, leaves, strict=True):
        words = (f"{key}={each[key]}" for key in sorted(keys & each.keys()) if _tells(key, leaves))
        yield Group(tuple(runs), " ".join(words))


def _tells(key: str, leaves: Sequence[Mapping[str, Any]]) -> bool:
    """Whether not all say the same of `key`. Without ELMo there are no keys of it."""
    asked = [each for each in leaves if key in each or not key.startswith("elmo.")]
    return len({str(each.get(key)) for each in asked}) > 1


def _leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _order(group: Group) -> tuple[Any, ...]:
    elmo, run = group.elmo, group.first
    place = PLACEMENTS.index(elmo["placement"]) if elmo["placement"] in PLACEMENTS else 9
    l2 = elmo.get("l2", -1.0)
    layers = str(elmo.get("layers"))
    return run.task, run.data, place > 0, run.encoder, place, layers, l2, group.differs
