"""Packed sequences: made of padded ones, walked through step by step, or from both ends."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


def pack(x: Tensor, mask: Tensor) -> PackedSequence:
    """Pack (batch, tokens, dim); `mask` is True at real tokens, at least one a row."""
    return pack_padded_sequence(x, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)


def unpack(packed: PackedSequence, tokens: int) -> Tensor:
    """Pad to (batch, tokens, dim); positions past a sequence's end are zero."""
    return pad_packed_sequence(packed, batch_first=True, total_length=tokens)[0]


def mirror(batch_sizes: Tensor) -> Tensor:
    """Find, for each row of packed data, the row of the token as far from its sequence's other end.

    `batch_sizes` as in a PackedSequence: how many sequences have a token at each step, the longest
    first. A sequence read from the right is packed exactly as one read from the left, so that both
    directions go through the same steps.
    """
    begins = batch_sizes.cumsum(0) - batch_sizes  # row of each step
    step = torch.arange(len(batch_sizes)).repeat_interleave(batch_sizes)
    sequence = torch.arange(len(step)) - begins[step]
    lengths = (batch_sizes.unsqueeze(1) > torch.arange(int(batch_sizes[0]))).sum(0)
    return begins[lengths[sequence] - 1 - step] + sequence


def walk(batch_sizes: list[int]) -> list[tuple[slice, int]]:
    """List the steps: (rows of the packed data, number of sequences) of each."""
    ends = torch.tensor(batch_sizes).cumsum(0).tolist()
    return [(slice(end - size, end), size) for end, size in zip(ends, batch_sizes, strict=True)]
