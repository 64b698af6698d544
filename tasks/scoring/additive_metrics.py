"""A metric of a whole split as a function of sums over its examples: what resampling needs.

A task's `score.py` may offer, beside `score`,

    counts(row)         one prediction, as `Task.predict` wrote it → numbers to be added up
    from_counts(sums)   (…, numbers) → (…): the task's `metric`, in percent, of the added-up numbers

so that a resample of the split costs one sum instead of one scoring. No torch in here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.float64]


def mean(sums: Sums) -> Sums:
    """(points, examples) → percent: accuracy, exact match, any mean over examples."""
    return _percent(sums[..., 0], sums[..., 1])


def f1(sums: Sums) -> Sums:
    """(right, predicted, gold) → F1 in percent; 0 where there is nothing to find or found."""
    return _percent(2 * sums[..., 0], sums[..., 1] + sums[..., 2])


def _percent(part: Sums, whole: Sums) -> Sums:
    """A ratio with denominator 0 counts as 0."""
    return 100 * np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)
