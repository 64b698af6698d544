"""How far mixing weights are from uniform."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import entr


def from_uniform(shares: Sequence[float]) -> float:
    """Give KL(shares ‖ uniform) / log L for L weights that sum to 1.

    It is 0 where all layers count alike, 1 where one layer counts alone, and 0 for a single layer.

    >>> from_uniform([0.0, 1.0, 0.0])
    1.0
    """
    if len(shares) < 2:
        return 0.0
    return float(max(0.0, 1 - entr(shares).sum() / np.log(len(shares))))
