"""All runs, grouped by choice: those that differ in their seed alone stand together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bench.records import Elmo
from bench.report.grid import Scores
from bench.report.read import Run
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
    def elmo(self) -> Elmo:
        return self.first.result.elmo

    @property
    def label(self) -> str:
        """The mix in a few words: `input · all · λ=0.1`."""
        members, elmo = self.first.result.ensemble, self.elmo
        parts = [f"{len(members)} together"] if members else []
        parts.append(elmo.placement)
        if elmo.layers is not None:
            parts.append(f"layers {elmo.layers}")
        if elmo.l2 is not None:
            parts.append(f"λ={elmo.l2:g}")
        return " · ".join(parts)

    def scores(self, split: str) -> Scores | None:
        values = [value for run in self.runs if (value := run.score(split)) is not None]
        return Scores(tuple(values)) if values else None

    @property
    def epochs(self) -> float:
        return fmean(run.result.epochs for run in self.runs)

    @property
    def seconds(self) -> float:
        return fmean(run.result.seconds for run in self.runs)

    @property
    def parameters(self) -> int | None:
        return self.first.result.counts.get("trainable_parameters")


def groups(runs: Sequence[Run]) -> list[Group]:
    """Return the groups by task, data, encoder, placement and the rest; seeds ascend in each."""
    by_choice: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_choice[json.dumps([run.task, run.choice], sort_keys=True, default=str)].append(run)
    alike: defaultdict[tuple[str, str], list[list[Run]]] = defaultdict(list)
    for together in by_choice.values():
        together.sort(key=lambda run: run.seed)
        alike[together[0].task, together[0].result.data_name].append(together)
    found = [group for family in alike.values() for group in _told_apart(family)]
    return sorted(found, key=_order)


def _told_apart(family: Sequence[Sequence[Run]]) -> Iterator[Group]:
    """Yield the groups of one task and data, each with the keys in which not all are the same."""
    leaves = [dict(_leaves(runs[0].choice)) for runs in family]
    keys = {key for each in leaves for key in each if not key.startswith(SHOWN)}
    for runs, each in zip(family, leaves, strict=True):
        words = (f"{key}={each[key]}" for key in sorted(keys & each.keys()) if _tells(key, leaves))
        yield Group(tuple(runs), " ".join(words))


def _tells(key: str, leaves: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether the groups differ in `key`; one without ELMo is not asked about keys of it."""
    asked = [each for each in leaves if key in each or not key.startswith("elmo.")]
    return len({str(each.get(key)) for each in asked}) > 1


def _leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _order(group: Group) -> tuple[Any, ...]:
    elmo, result = group.elmo, group.first.result
    place = PLACEMENTS.index(elmo.placement) if elmo.placement in PLACEMENTS else 9
    l2 = -1.0 if elmo.l2 is None else elmo.l2
    of_run = (group.first.task, result.data_name, place > 0, result.encoder_name)
    return *of_run, place, str(elmo.layers), l2, group.differs
