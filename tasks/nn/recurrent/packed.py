"""Walking through packed sequences: step by step, and from both ends at once."""

from __future__ import annotations

import torch
from torch import Tensor


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
