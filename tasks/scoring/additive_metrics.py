"""A metric of a whole split as a function of sums over its examples: what resampling needs.

A task may offer, beside `score`,

    counts(row)         one prediction, as `Task.predict` wrote it → numbers to be added up
    from_counts(sums)   (…, numbers) → (…): the task's `metric`, in percent, of the added-up numbers

so that a resample of the split costs one sum instead of one scoring (see tasks/task.py). The
functions below are two such `from_counts`. No torch in here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.float64]


def mean(sums: Sums) -> Sums:
    """Turn (points, examples) into percent: accuracy, exact match, any mean over examples.

    Args:
        sums: (…, 2).

    Returns:
        (…); 0 where there are no examples.

    >>> float(mean(np.array([3.0, 4.0])))
    75.0
    """
    return 100 * ratio(sums[..., 0], sums[..., 1])


def f1(sums: Sums) -> Sums:
    """Turn (right, predicted, gold) into F1 in percent.

    Args:
        sums: (…, 3).

    Returns:
        (…); 0 where there is neither anything to find nor anything found.

    >>> f1(np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])).tolist()
    [50.0, 0.0]
    """
    return 100 * ratio(2 * sums[..., 0], sums[..., 1] + sums[..., 2])


def ratio(part: Sums, whole: Sums) -> Sums:
    """Divide; a ratio with denominator 0 counts as 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)
