"""Results by slices of the examples: how long they are, what label they have, …"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

VALUES = 8  # of a slice that are words; rarer ones stand together
BINS = 4  # of a slice that is a number
OTHERS = " others"

Slices = dict[str, str]
"""An example's value of each slice, in words."""


@dataclass(frozen=True)
class Slice:
    """The examples of one value of a slice: how many, their mean scores, and what changed."""

    name: str
    value: str
    examples: int
    before: float
    after: float
    better: int
    worse: int


def sliced(found: Sequence[Mapping[str, Any]]) -> list[Slices]:
    """Return each example's slices in words: numbers in bins, rare words together."""
    named: list[Slices] = [{} for _ in found]
    for name in dict.fromkeys(name for each in found for name in each):
        values = [each.get(name) for each in found]
        words = _binned(values) if any(isinstance(v, int) for v in values) else _common(values)
        for here, word in zip(named, words, strict=True):
            here[str(name)] = word
    return named


def _binned(values: Sequence[Any]) -> list[str]:
    """Write numbers as they are, if they are few, or else as bins of about equal size."""
    numbers = [value for value in values if isinstance(value, int)]
    if len(set(numbers)) <= BINS + 1:
        return ["none" if value is None else str(value) for value in values]
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, BINS + 1)[1:]).astype(int))
    lows = [min(numbers), *(int(edge) + 1 for edge in edges[:-1])]

    def bin_of(value: Any) -> str:
        if not isinstance(value, int):
            return "none"
        place = int(np.searchsorted(edges, value))
        low, high = lows[place], int(edges[place])
        return str(low) if low == high else f"{low} to {high}"

    return [bin_of(value) for value in values]


def _common(values: Sequence[Any]) -> list[str]:
    texts = ["none" if value is None else str(value) for value in values]
    counted = Counter(texts).most_common()
    kept, others = {text for text, _ in counted[:VALUES]}, f"{len(counted) - VALUES}{OTHERS}"
    return [text if text in kept else others for text in texts]


def summaries(slices: Sequence[Slices], scores: Sequence[tuple[float, float]]) -> list[Slice]:
    """Return a line for each value of each slice: numbers ascend, the rarer words come last."""
    members: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for each, both in zip(slices, scores, strict=True):
        for place in each.items():
            members.setdefault(place, []).append(both)
    names = list(dict.fromkeys(name for name, _ in members))
    ordered = sorted(members, key=lambda place: (names.index(place[0]), *_rank(place[1])))
    return [_summary(*place, members[place]) for place in ordered]


def _rank(value: str) -> tuple[bool, float, str]:
    first = value.partition(" ")[0]
    return value.endswith(OTHERS), int(first) if first.isdecimal() else math.inf, value


def _summary(name: str, value: str, scores: Sequence[tuple[float, float]]) -> Slice:
    better = sum(after > before for before, after in scores)
    worse = sum(after < before for before, after in scores)
    before, after = (fmean(side) for side in zip(*scores, strict=True))
    return Slice(name, value, len(scores), before, after, better, worse)
