"""Nearest neighbours by cosine, each among candidates of its own."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

NONE = -1  # no row: padding, or nothing to compare with


def nearest(
    vectors: Tensor, candidates: Tensor, table: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    """Which of `candidates` (vectors, any), rows of `table` (rows, dim) or NONE, points most like
    each of `vectors` (vectors, dim): the row and its cosine, each (vectors,). Rows that are not
    `seen` (rows,) do not count; where no candidate does, NONE and 0. One product for all."""
    known = (candidates != NONE) & seen[candidates]
    theirs = F.normalize(table[candidates], dim=2)
    cosines = (theirs @ F.normalize(vectors, dim=1).unsqueeze(2)).squeeze(2)
    best, where = cosines.masked_fill(~known, -torch.inf).max(dim=1)
    row = candidates.gather(1, where.unsqueeze(1)).squeeze(1)
    found = known.any(dim=1)
    return row.where(found, NONE), best.where(found, 0.0)
