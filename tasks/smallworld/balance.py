"""Choose examples so that no feature of them gives the label away."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

LOOK = 24  # candidates weighed against one another for each place


def balanced(
    pools: dict[str, list[Item]],
    size: int,
    features: Callable[[Item], Iterable[Hashable]],
    rng: random.Random,
) -> list[Item]:
    """Choose `size` items, label after label, so that every feature comes as often with each label.

    Each place goes to that one of `LOOK` random candidates whose features were so far seldomest
    seen with its label, compared with the other labels. `pools` holds the items of each label.
    """
    labels = list(pools)
    left = {label: [(item, set(features(item))) for item in pools[label]] for label in labels}
    # For each label, how much more often a feature came with it than, on average, with another.
    excess: dict[str, dict[Hashable, float]] = {label: {} for label in labels}
    chosen = []
    for place in range(size):
        label = labels[place % len(labels)]
        pool, mine = left[label], excess[label]
        picks = rng.sample(range(len(pool)), min(LOOK, len(pool)))
        weights = [sum(mine.get(f, 0.0) for f in pool[i][1]) for i in picks]
        item, found = _take(pool, picks[weights.index(min(weights))])
        for other in labels:
            change = 1.0 if other == label else -1.0 / (len(labels) - 1)
            for feature in found:
                excess[other][feature] = excess[other].get(feature, 0.0) + change
        chosen.append(item)
    return chosen


def _take(items: list[Item], index: int) -> Item:
    """Remove one item without keeping the order."""
    items[index], items[-1] = items[-1], items[index]
    return items.pop()
