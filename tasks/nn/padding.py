"""Lists of unequal length → one padded tensor, and its real tokens."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from elmo_core.devices import sent


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


def real_rows(mask: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Find the real tokens of padded sequences, as rows of their (batch * tokens, dim).

    Args:
        mask: (batch, tokens), True at real tokens, which come before all others of their sequence.
        lengths: (batch,), how many they are, on the CPU; without them they are counted in `mask`,
            for which the host waits for a GPU.

    Returns:
        Long, (real tokens,), on the device of `mask`.
    """
    lengths = mask.sum(1).cpu() if lengths is None else lengths
    real = torch.arange(mask.shape[1]) < lengths.unsqueeze(1)
    return sent(real.flatten().nonzero().squeeze(1), mask.device)
