"""Packed sequences: made of padded ones, walked through step by step, or from both ends."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence

from elmo_core.devices import sent
from tasks.nn.padding import taken


@dataclass(frozen=True)
class Packed:
    """The real tokens of a batch, step by step, those of the longest sequence first.

    (torch packs with a copy for each step, and unpacks with a tensor as large as all of them for
    each copy's gradient. Here each way is one pass, and so is its gradient.)
    """

    data: Tensor  # (all tokens, dim)
    batch_sizes: Tensor  # how many sequences have a token at each step, on the CPU
    rows: Tensor  # (all tokens,): each one's row among the padded ones, (batch * tokens, dim)
    padded: tuple[int, int]  # batch, tokens

    def sequence(self) -> PackedSequence:
        """Return it as torch's recurrent layers take it."""
        return PackedSequence(self.data, self.batch_sizes)

    def unpack(self, data: Tensor) -> Tensor:
        """Put `data` (all tokens, dim) where this was: (batch, tokens, dim), zero past the ends."""
        batch, tokens = self.padded
        zeros = data.new_zeros(batch * tokens, data.shape[1])
        return zeros.index_copy_(0, self.rows, data).view(batch, tokens, -1)


def pack(x: Tensor, lengths: Tensor) -> Packed:
    """Pack (batch, tokens, dim); `lengths` (batch,), on the CPU, are at least 1 each."""
    lengths, order = lengths.sort(descending=True)
    there = torch.arange(int(lengths[0])).unsqueeze(1) < lengths
    step, place = there.nonzero(as_tuple=True)
    rows = sent(order[place] * x.shape[1] + step, x.device)
    return Packed(taken(x.flatten(0, 1), rows), there.sum(1), rows, (len(x), x.shape[1]))


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


def previous(batch_sizes: Tensor) -> Tensor:
    """Find, for each row of packed data but the first step's, the row of the token a step before.

    `batch_sizes` as for `mirror`; for `shifted`.
    """
    rows = torch.arange(int(batch_sizes[0]), int(batch_sizes.sum()))
    return rows - batch_sizes[:-1].repeat_interleave(batch_sizes[1:])


def shifted(x: Tensor, before: Tensor, *, reverse: bool = False) -> Tensor:
    """Put in each token's place what its sequence had a step before: (…, all tokens, dim) alike.

    Zero where a sequence begins, or, with `reverse`, where it ends: then a step before is the token
    to the right. `before` is what `previous` says, on the device of `x`.
    """
    result, first = torch.zeros_like(x), x.shape[-2] - len(before)
    if reverse:
        return result.index_copy_(-2, before, x[..., first:, :])
    result[..., first:, :] = x.index_select(-2, before)
    return result
