"""The coreference metrics of one document, each as sums over documents want it. No torch in here.

Every metric is a recall and a precision, each of them a ratio whose numerators and denominators are
added up over documents before they are divided. All follow from how many mentions each cluster of
the key shares with each cluster of the response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Mention = tuple[int, ...]  # first token, last token
Clusters = Sequence[Sequence[Sequence[int]]]  # clusters of mentions [first token, last token]
Array = NDArray[Any]


class Parts(NamedTuple):
    """Two ratios: what was found of the key, and what is right of the response."""

    recalled: float
    key: float
    precise: float
    response: float


class Links(NamedTuple):
    """Counts of mentions and of pairs of them, each counted once."""

    mentions: int
    together: int  # pairs in one cluster
    apart: int  # pairs in two clusters


class Overlap(NamedTuple):
    """A comparison of a response with a key."""

    shared: Array  # (key clusters, response clusters): mentions in both
    key: Array  # sizes of the clusters
    response: Array
    key_links: Links
    response_links: Links


def overlap(key: Clusters, response: Clusters) -> Overlap:
    """Compare a response with a key, as the official scorer does.

    A mention of the key that the response has more than once counts where it comes first; a cluster
    that this leaves empty is none. A mention that the key does not have counts each time in the
    size of a cluster, and once as a mention and in pairs.
    """
    place = {tuple(mention): i for i, cluster in enumerate(key) for mention in cluster}
    seen: set[Mention] = set()
    rows, kept = [], []
    for cluster in response:
        row, rest = np.zeros(len(key)), []
        for mention in map(tuple, cluster):
            if mention in place and mention in seen:
                continue
            if mention in place:
                row[place[mention]] += 1
            seen.add(mention)
            rest.append(mention)
        if rest:
            rows.append(row)
            kept.append(rest)
    shared = np.array(rows).reshape(len(rows), len(key)).T
    ours = [[tuple(mention) for mention in cluster] for cluster in key]
    return Overlap(shared, _sizes(ours), _sizes(kept), links(ours), links(kept))


def links(clusters: Sequence[Sequence[Mention]]) -> Links:
    """Count distinct mentions and distinct pairs; a mention that stands twice in a cluster, or in
    two of them, makes a pair with itself. (So the official scorer, in BLANC.)"""
    sizes = _sizes(clusters)
    order = {mention: i for i, mention in enumerate(dict.fromkeys(chain(*clusters)))}
    if len(order) == sizes.sum():  # no mention is repeated
        together = int(_pairs(sizes).sum())
        return Links(len(order), together, _pairs(len(order)) - together)
    times = np.zeros((len(order), len(clusters)))
    for column, cluster in enumerate(clusters):
        for mention in cluster:
            times[order[mention], column] += 1
    within = (times > 0).astype(float)
    common, places = within @ within.T, within.sum(1)
    others = np.triu_indices(len(order), 1)
    together = (common > 0)[others].sum() + (times > 1).any(1).sum()
    apart = (np.outer(places, places) > common)[others].sum() + (places > 1).sum()
    return Links(len(order), int(together), int(apart))


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
    return Parts(right, found.key_links.mentions, right, found.response_links.mentions)


def coreferent(found: Overlap) -> Parts:
    """Count pairs of mentions in one cluster: the first half of BLANC (Luo et al. 2014)."""
    right = _pairs(found.shared).sum()
    return Parts(right, found.key_links.together, right, found.response_links.together)


def not_coreferent(found: Overlap) -> Parts:
    """Count pairs of mentions in two clusters: the other half of BLANC."""
    kept, one = found.shared, coreferent(found)
    together = _pairs(kept.sum(0)).sum() + _pairs(kept.sum(1)).sum() - one.recalled
    right = _pairs(kept.sum()) - together
    return Parts(right, found.key_links.apart, right, found.response_links.apart)


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


def _sizes(clusters: Sequence[Sequence[Mention]]) -> Array:
    return np.array([len(cluster) for cluster in clusters])


def _pairs(n: Any) -> Any:
    return n * (n - 1) // 2
