"""Packed sequences: made of padded ones, walked through step by step, or from both ends."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from elmo_core.devices import sent


def pack(x: Tensor, mask: Tensor, lengths: Tensor | None = None) -> PackedSequence:
    """Pack (batch, tokens, dim); `mask` is True at real tokens, at least one a row.

    `lengths` (batch,), on the CPU, are the numbers of these. Without them they are counted in
    `mask`, for which the host waits for a GPU. (So it does in what torch offers for sequences that
    are not sorted: the sorting is done here.)
    """
    lengths = mask.sum(1).cpu() if lengths is None else lengths
    lengths, order = lengths.sort(descending=True)
    order, back = sent(torch.stack([order, order.argsort()]), x.device)
    packed = pack_padded_sequence(x.index_select(0, order), lengths, batch_first=True)
    return packed._replace(sorted_indices=order, unsorted_indices=back)


def unpack(packed: PackedSequence, tokens: int) -> Tensor:
    """Pad to (batch, tokens, dim); positions past a sequence's end are zero."""
    ordered = packed._replace(sorted_indices=None, unsorted_indices=None)
    padded, _ = pad_packed_sequence(ordered, batch_first=True, total_length=tokens)
    assert packed.unsorted_indices is not None
    return padded.index_select(0, packed.unsorted_indices)


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
