"""Lists of unequal length → one padded tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def pad(rows: Sequence[Sequence[int]], value: int = 0) -> Tensor:
    """Make one tensor of rows of indices: long (rows, longest row), filled up with `value`."""
    return pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], True, value)


def pad_twice(rows: Sequence[Sequence[Sequence[int]]], value: int) -> Tensor:
    """Make one tensor of rows of lists of indices: long (rows, longest row, longest list), filled
    up with `value`. A list is at least one number wide."""
    width = max((len(numbers) for row in rows for numbers in row), default=0) or 1
    filled = [[[*ns, *[value] * (width - len(ns))] for ns in row] for row in rows]
    tensors = [torch.tensor(row, dtype=torch.long).view(-1, width) for row in filled]
    return pad_sequence(tensors, True, value)
