"""Lists of unequal length → one padded tensor, and its real tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
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


def real_rows(mask: Tensor, lengths: Tensor) -> Tensor:
    """Find the real tokens of padded sequences, as rows of their (batch * tokens, dim).

    Args:
        mask: (batch, tokens), True at real tokens, which come before all others of their sequence.
        lengths: (batch,), how many they are, on the CPU: to count them in `mask`, the host would
            wait for a GPU.

    Returns:
        Long, (real tokens,), on the device of `mask`.
    """
    real = torch.arange(mask.shape[1]) < lengths.unsqueeze(1)
    return sent(real.flatten().nonzero().squeeze(1), mask.device)


def taken(x: Tensor, rows: Tensor) -> Tensor:
    """Take rows of `x` (all rows, dim), none of them twice: x[rows], with a gradient that is one
    copy where PyTorch's is a sum."""
    output: Tensor = _Taken.apply(x, rows)
    return output


class _Taken(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.all_rows = len(x)
        return x.index_select(0, rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        d_x = d_output.new_zeros(ctx.all_rows, d_output.shape[1])
        return d_x.index_copy_(0, rows, d_output), None
