"""How many bits a label takes, to whoever has a model of it: −log₂ p (Shannon 1948)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor


def bits(logits: Tensor, labels: Sequence[Sequence[int]]) -> list[list[float]]:
    """Return −log₂ of the softmax at each label.

    Args:
        logits: (rows, places, labels); a row may have more places than labels are given for it.
        labels: the index of each label, row by row.

    >>> import torch
    >>> bits(torch.zeros(1, 3, 4), [[0, 3]])  # of four labels that are equally likely
    [[2.0, 2.0]]
    """
    surprisals = logits.float().log_softmax(2) / -math.log(2)
    return [
        [each[label] for each, label in zip(row, found, strict=False)]
        for row, found in zip(surprisals.tolist(), labels, strict=True)
    ]
