"""The coreference metrics of one document, each as sums over documents want it. No torch in here.

Every metric is a recall and a precision, each of them a ratio whose numerators and denominators are
added up over documents before they are divided. All follow from how many mentions each cluster of
the key shares with each cluster of the response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Clusters = Sequence[Sequence[Sequence[int]]]  # clusters of mentions [first token, last token]
Array = NDArray[Any]


class Parts(NamedTuple):
    """What of the key was found, of how much; what of the response is right, of how much."""

    recalled: float
    key: float
    precise: float
    response: float


class Overlap(NamedTuple):
    """`shared` (key clusters, response clusters): mentions in both; the others: sizes of each."""

    shared: Array
    key: Array
    response: Array


def overlap(key: Clusters, response: Clusters) -> Overlap:
    """A mention of the key that the response has more than once counts where it comes first; a
    cluster that this leaves empty is none. (So the official scorer.)"""
    place = {tuple(mention): i for i, cluster in enumerate(key) for mention in cluster}
    seen: set[tuple[int, ...]] = set()
    rows, sizes = [], []
    for cluster in response:
        row, size = np.zeros(len(key)), 0
        for mention in map(tuple, cluster):
            if mention in place and mention not in seen:
                row[place[mention]] += 1
            elif mention in place:
                continue
            seen.add(mention)
            size += 1
        if size:
            rows.append(row)
            sizes.append(size)
    shared = np.array(rows).reshape(len(rows), len(key)).T
    return Overlap(shared, np.array([len(cluster) for cluster in key]), np.array(sizes))


def muc(found: Overlap) -> Parts:
    """Count links (Vilain et al. 1995): a cluster of n mentions in p parts has n − p right ones."""
    right = np.maximum(found.shared - 1, 0).sum()
    return Parts(right, (found.key - 1).sum(), right, (found.response - 1).sum())


def b_cubed(found: Overlap) -> Parts:
    """Count of each mention how much of its cluster is right (Bagga & Baldwin 1998)."""
    pairs = found.shared**2
    recalled, precise = (pairs.sum(1) / found.key).sum(), (pairs.sum(0) / found.response).sum()
    return Parts(recalled, found.key.sum(), precise, found.response.sum())


def ceaf_e(found: Overlap) -> Parts:
    """Align clusters one to one, each pair's worth the F1 of its mentions (Luo 2005, φ4)."""
    worth = 2 * found.shared / (found.key[:, None] + found.response)
    best = _aligned(worth)
    return Parts(best, len(found.key), best, len(found.response))


def ceaf_m(found: Overlap) -> Parts:
    """Align clusters one to one, each pair's worth the mentions it shares (Luo 2005, φ3)."""
    best = _aligned(found.shared)
    return Parts(best, found.key.sum(), best, found.response.sum())


def mentions(found: Overlap) -> Parts:
    """Count mentions found with exact boundaries, in whatever cluster."""
    right = found.shared.sum()
    return Parts(right, found.key.sum(), right, found.response.sum())


def coreferent(found: Overlap) -> Parts:
    """Count pairs of mentions in one cluster: the first half of BLANC (Luo et al. 2014)."""
    right = _pairs(found.shared).sum()
    return Parts(right, _pairs(found.key).sum(), right, _pairs(found.response).sum())


def not_coreferent(found: Overlap) -> Parts:
    """Count pairs of mentions in two clusters: the other half of BLANC."""
    kept, one = found.shared, coreferent(found)
    together = _pairs(kept.sum(0)).sum() + _pairs(kept.sum(1)).sum() - one.recalled
    right = _pairs(kept.sum()) - together
    key = _pairs(found.key.sum()) - one.key
    return Parts(right, key, right, _pairs(found.response.sum()) - one.response)


METRICS: dict[str, Callable[[Overlap], Parts]] = {
    "muc": muc,
    "b_cubed": b_cubed,
    "ceaf_e": ceaf_e,
    "ceaf_m": ceaf_m,
    "mentions": mentions,
    "coreferent": coreferent,
    "not_coreferent": not_coreferent,
}


def _aligned(worth: Array) -> float:
    return float(worth[linear_sum_assignment(worth, maximize=True)].sum())


def _pairs(n: Any) -> Any:
    return n * (n - 1) / 2
