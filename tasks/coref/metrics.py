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
    last: Array  # the same, but a mention of several key clusters is in the last one alone
    key: Array  # sizes of the clusters
    response: Array
    key_links: Links
    response_links: Links
    right_links: Links  # in both


def overlap(key: Clusters, response: Clusters) -> Overlap:
    """Compare a response with a key, as the official scorer does.

    A mention of the key that the response has more than once counts where it comes first; a cluster
    that this leaves empty is none. A mention that the key does not have counts each time in the
    size of a cluster, and once as a mention and in pairs. A cluster of the key has no mention
    twice: the reader sees to it.
    """
    places: dict[Mention, list[int]] = {}
    for i, cluster in enumerate(key):
        for mention in cluster:
            places.setdefault(tuple(mention), []).append(i)
    seen: dict[Mention, int] = {}  # and which of the kept clusters has it
    kept: list[list[Mention]] = []
    for cluster in response:
        rest: list[Mention] = []
        for mention in map(tuple, cluster):
            if mention in places and mention in seen:
                continue
            seen[mention] = len(kept)
            rest.append(mention)
        if rest:
            kept.append(rest)
    found = [mention for mention in seen if mention in places]
    in_key, in_last = np.zeros((2, len(found), len(key)))
    in_response = np.zeros((len(found), len(kept)))
    for row, mention in enumerate(found):
        in_key[row, places[mention]] = in_last[row, places[mention][-1]] = 1
        in_response[row, seen[mention]] = 1
    ours = [[tuple(mention) for mention in cluster] for cluster in key]
    return Overlap(
        shared=in_key.T @ in_response,
        last=in_last.T @ in_response,
        key=_sizes(ours),
        response=_sizes(kept),
        key_links=links(ours),
        response_links=links(kept),
        right_links=_both(in_key, in_response),
    )


def links(clusters: Sequence[Sequence[Mention]]) -> Links:
    """Count distinct mentions and distinct pairs; a mention that stands twice in a cluster, or in
    two of them, makes a pair with itself. (So the official scorer, in BLANC.)"""
    sizes = _sizes(clusters)
    order = {mention: i for i, mention in enumerate(dict.fromkeys(chain(*clusters)))}
    if len(order) == sizes.sum():  # no mention is repeated
        within = int(_pairs(sizes).sum())
        return Links(len(order), within, _pairs(len(order)) - within)
    times = np.zeros((len(order), len(clusters)))
    for column, cluster in enumerate(clusters):
        for mention in cluster:
            times[order[mention], column] += 1
    together, apart = _kinds((times > 0).astype(float))
    others = np.triu_indices(len(order), 1)
    return Links(
        len(order),
        int(together[others].sum() + (times > 1).any(1).sum()),
        int(apart[others].sum() + ((times > 0).sum(1) > 1).sum()),
    )


def _both(in_key: Array, in_response: Array) -> Links:
    """Count the pairs that a key and a response both have; (found mentions, clusters) each."""
    if (in_key.sum(1) == 1).all():
        shared = in_key.T @ in_response
        together = int(_pairs(shared).sum())
        either = _pairs(shared.sum(0)).sum() + _pairs(shared.sum(1)).sum() - together
        return Links(len(in_key), together, int(_pairs(len(in_key)) - either))
    others = np.triu_indices(len(in_key), 1)
    kinds = zip(_kinds(in_key), _kinds(in_response), strict=True)
    return Links(len(in_key), *(int((ours & theirs)[others].sum()) for ours, theirs in kinds))


def _kinds(within: Array) -> tuple[Array, Array]:
    """Tell of any two mentions whether a cluster has both, and whether two clusters have one each;
    `within` (mentions, clusters) is 1 where a mention stands."""
    common, places = within @ within.T, within.sum(1)
    return common > 0, np.outer(places, places) > common


def muc(found: Overlap) -> Parts:
    """Count links (Vilain et al. 1995): a cluster of n mentions in p parts has n − p right ones."""
    right = np.maximum(found.last - 1, 0).sum()
    return Parts(right, (found.key - 1).sum(), right, (found.response - 1).sum())


def b_cubed(found: Overlap) -> Parts:
    """Count of each mention how much of its cluster is right (Bagga & Baldwin 1998)."""
    pairs = found.last * found.shared
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
    right = found.right_links.mentions
    return Parts(right, found.key_links.mentions, right, found.response_links.mentions)


def coreferent(found: Overlap) -> Parts:
    """Count pairs of mentions in one cluster: the first half of BLANC (Luo et al. 2014)."""
    right = found.right_links.together
    return Parts(right, found.key_links.together, right, found.response_links.together)


def not_coreferent(found: Overlap) -> Parts:
    """Count pairs of mentions in two clusters: the other half of BLANC."""
    right = found.right_links.apart
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
