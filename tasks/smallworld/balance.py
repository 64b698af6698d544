"""Choose examples so that no feature of them gives the label away."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
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
    seen: dict[str, Counter[Hashable]] = {label: Counter() for label in labels}
    chosen = []
    for place in range(size):
        label = labels[place % len(labels)]
        pool, others = left[label], [seen[other] for other in labels if other != label]
        picks = rng.sample(range(len(pool)), min(LOOK, len(pool)))
        weights = [_excess(pool[i][1], seen[label], others) for i in picks]
        item, found = _take(pool, picks[weights.index(min(weights))])
        seen[label].update(found)
        chosen.append(item)
    return chosen


def _excess(
    features: Iterable[Hashable], mine: Counter[Hashable], others: Sequence[Counter[Hashable]]
) -> float:
    """Return how much more often the features came with this label than, on average, with
    another."""
    return sum(mine[f] - sum(other[f] for other in others) / len(others) for f in features)


def _take(items: list[Item], index: int) -> Item:
    """Remove one item without keeping the order."""
    items[index], items[-1] = items[-1], items[index]
    return items.pop()
