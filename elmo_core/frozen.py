"""FrozenBiLM: the layers of a biLM that is not trained any more, at the machine's full speed.

The same numbers as `BiLM`, from zero state, to 1e-5. What makes it quick: weights laid out once
(`products.py`), the products with the inputs of all time steps in one, sentences sorted and packed
so that a finished one leaves the batch, gates computed in place. The character CNN is the trained
one, its linear layers laid out alike.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_sequence, unpack_sequence

from elmo_core.bilm import BiLM
from elmo_core.char_cnn import CharCNN
from elmo_core.lstm import ProjectedLSTM
from elmo_core.products import product


class FrozenBiLM:
    """What `BiLM.contextualise` computes, without gradient, without state."""

    def __init__(self, bilm: BiLM, precision: str = "float32") -> None:
        """`precision` (float32 or bfloat16) is that of the matrix products, not of the rest."""
        self.char_cnn = _frozen(bilm.char_cnn)  # in float32: words are read once, not tokens
        self.skip = bilm.options.skip
        self.directions = [
            [FrozenLSTM(lstm, precision) for lstm in lstms if isinstance(lstm, ProjectedLSTM)]
            for lstms in (bilm.forward_lstm, bilm.backward_lstm)
        ]

    def contextualise(self, table: Tensor, sentences: Sequence[Tensor]) -> list[Tensor]:
        """(layers, tokens, 2D) for each sentence, given as rows (tokens,) of `table` (words, D)."""
        outputs = []
        for lstms, backwards in zip(self.directions, (False, True), strict=True):
            rows = [rows.flip(0) for rows in sentences] if backwards else list(sentences)
            packed = pack_sequence(rows, enforce_sorted=False)
            sizes = packed.batch_sizes.tolist()
            layers = [x := table[packed.data]]
            for k, lstm in enumerate(lstms):
                x = lstm(x, sizes).add_(x) if k > 0 and self.skip else lstm(x, sizes)
                layers.append(x)
            packed = packed._replace(data=torch.stack(layers, dim=1))
            parts = unpack_sequence(packed)
            outputs.append([part.flip(0) for part in parts] if backwards else parts)
        pairs = zip(*outputs, strict=True)
        return [torch.cat(pair, dim=-1).transpose(0, 1).contiguous() for pair in pairs]


class FrozenLSTM:
    """One direction of one layer; see `ProjectedLSTM` for the equations."""

    def __init__(self, lstm: ProjectedLSTM, precision: str) -> None:
        self.cells = lstm.projection.shape[1]
        self.read = product(lstm.input_weight, precision)
        self.recur = product(lstm.recurrent_weight, precision)
        self.project = product(lstm.projection, precision)
        self.bias = lstm.bias.detach().clone()
        self.bias[2 * self.cells : 3 * self.cells] += 1  # the forget gate's
        self.cell_clip, self.proj_clip = lstm.cell_clip or math.inf, lstm.proj_clip or math.inf

    def __call__(self, inputs: Tensor, sizes: Sequence[int]) -> Tensor:
        """(rows, D) → (rows, D), packed: `sizes` says how many sentences run at each step."""
        outputs, start = torch.empty_like(inputs), 0
        inputs = F.pad(inputs, (0, 0, 0, ROUND - 1))
        hidden = inputs.new_zeros(sizes[0], inputs.shape[1])
        cell = inputs.new_zeros(sizes[0], self.cells)
        for steps in _chunks(sizes):
            rows = sum(steps)
            gates = self.read(inputs[start : start + rows + -rows % ROUND])[:rows].add_(self.bias)
            for gate in gates.split(steps):
                running = len(gate)
                hidden, cell = hidden[:running], cell[:running]
                hidden = self._step(gate.add_(self.recur(hidden)), cell)
                outputs[start : start + running] = hidden
                start += running
        return outputs

    def _step(self, gates: Tensor, cell: Tensor) -> Tensor:
        """The new hidden state; `cell` is brought up to date where it is."""
        i, j, f, o = gates.split(self.cells, dim=-1)
        _tanh_(j)
        i.sigmoid_().mul_(j)
        gates[:, 2 * self.cells :].sigmoid_()
        cell.mul_(f).add_(i).clamp_(-self.cell_clip, self.cell_clip)
        torch.mul(cell, 1.0, out=j)
        read = _tanh_(j).mul_(o)
        return self.project(read).clamp_(-self.proj_clip, self.proj_clip)


class FrozenLinear(nn.Module):
    """(…, in) → (…, out)"""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.product, self.bias = product(linear.weight), linear.bias.detach()

    def forward(self, x: Tensor) -> Tensor:
        return self.product(x).add_(self.bias)


def _frozen(char_cnn: CharCNN) -> CharCNN:
    """Another with the same parameters, its linear layers frozen."""
    other = copy.deepcopy(char_cnn, {id(p): p for p in char_cnn.parameters()})
    for module in list(other.modules()):
        for name, part in module.named_children():
            if isinstance(part, nn.Linear):
                setattr(module, name, FrozenLinear(part))
    return other


CHUNK_ROWS = 1024
"""Rows whose gates exist at a time: 4 · 4,096 cells · 4 bytes each."""

ROUND = 16
"""Inputs are read in multiples of it: oneDNN keeps a megabyte of code for each number of rows."""


def _chunks(sizes: Sequence[int]) -> list[list[int]]:
    """Neighbouring steps of at most CHUNK_ROWS rows together, or one step alone."""
    chunks: list[list[int]] = [[]]
    for size in sizes:
        if chunks[-1] and sum(chunks[-1]) + size > CHUNK_ROWS:
            chunks.append([])
        chunks[-1].append(size)
    return chunks


def _tanh_(x: Tensor) -> Tensor:
    """In place, through the sigmoid: a third of the time of `torch.tanh` on a CPU."""
    return x.mul_(2).sigmoid_().mul_(2).sub_(1)
