"""How vectors lie in space: how alike they are, and how many directions they use. No torch here."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Vectors = NDArray[np.floating]
"""(vectors, dim)"""

KEPT = 0.9
"""The share of TwoNN's ratios that are fitted: the largest are too noisy (Facco et al. 2017)."""


def mean_cosine(vectors: Vectors) -> float:
    """Return the mean cosine of all pairs of two of the vectors; NaN of fewer than two.

    A vector of length 0, as a static encoder has for a word that it does not know, has no cosine.

    Of uses of words drawn at random it is the anisotropy, of uses of one word its self-similarity
    (Ethayarajh 2019, section 3.2): 0 where vectors point everywhere, 1 where all point one way.
    """
    unit = _unit(vectors)
    n = len(unit)
    if n < 2:
        return float("nan")
    total = unit.sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def similarity_to_mean(vectors: Vectors) -> float:
    """Return the mean cosine of the vectors with their mean.

    Of a sentence's words it is the intra-sentence similarity (Ethayarajh 2019, section 3.2).
    """
    mean, unit = _unit(vectors.mean(axis=0, keepdims=True)), _unit(vectors)
    return float((unit @ mean.T).mean()) if mean.size else float("nan")


def intrinsic_dimension(vectors: Vectors) -> float:
    """Estimate the dimension of the surface on which vectors lie: TwoNN (Facco et al. 2017).

    Around a point the ratio of the distances to its second and its first neighbour follows a
    Pareto law whose exponent is the dimension. It is the slope of a line through 0, fitted to
    −log(1 − F) against log of the ratio. Equal vectors count once. NaN where ratios are all 1.
    """
    from sklearn.neighbors import NearestNeighbors  # here: it is slow to import

    distinct = np.unique(vectors, axis=0)
    if len(distinct) < 3:
        return float("nan")
    distances, _ = NearestNeighbors(n_neighbors=2).fit(distinct).kneighbors()
    logs = np.log(np.sort(distances[:, 1] / distances[:, 0]))
    n, kept = len(logs), int(KEPT * len(logs))
    x, y = logs[:kept], -np.log1p(-np.arange(1, kept + 1) / n)
    return float(x @ y / (x @ x)) if x.any() else float("nan")


def effective_rank(vectors: Vectors) -> float:
    """Return how many directions the vectors use, their mean taken away (Roy & Vetterli 2007).

    It is exp of the entropy of the singular values, which are divided by their sum: k where k
    directions are used alike, 1 where all vectors are the same.
    """
    values = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False)
    total = values.sum()
    return float(np.exp(entr(values / total).sum())) if total else 1.0


def mean_over(values: Iterable[float]) -> float:
    """Return the mean of the values that are numbers; NaN where there is none."""
    found = [value for value in values if not np.isnan(value)]
    return float(np.mean(found)) if found else float("nan")


def _unit(vectors: Vectors) -> Vectors:
    """Return the vectors with length 1, without those of length 0."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    there = lengths[:, 0] > 0
    return wide[there] / lengths[there]
