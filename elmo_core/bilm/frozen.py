"""FrozenBiLM: the layers of a biLM that is not trained any more, at the machine's full speed.

The same numbers as `BiLM`, from zero state, to 1e-5. What makes it quick: weights laid out once
(`elmo_core/products`), the products with the inputs of many time steps in one, what sentences
begin with (or, backwards, end with) computed once for all that share it (`prefixes.py`), the four
gates by one sigmoid, in place. The character CNN is the trained one, its weights laid out alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.char_cnn import CharCNN
from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.bilm.options import Options
from elmo_core.bilm.prefixes import prefix_tree
from elmo_core.devices import portions, sent
from elmo_core.products import product


class FrozenDirections:
    """Computes what `BiLM.contextualise` does, without gradient, without state."""

    def __init__(self, lstms: Sequence[Iterable[nn.Module]], skip: bool, precision: str) -> None:
        """Take the layers of both directions, forward and backward, each a `ProjectedLSTM`.

        `precision` (float32 or bfloat16) is that of the matrix products, not of the rest.
        """
        self.skip = skip
        self.directions = [
            [FrozenLSTM(lstm, precision) for lstm in layers if isinstance(lstm, ProjectedLSTM)]
            for layers in lstms
        ]

    def contextualise(self, table: Tensor, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        """(layers, tokens, 2D), on the CPU, for each sentence, given as rows of `table` (words, D).

        Rows 0 and 1 are the boundaries before and behind each sentence, which stand in no sentence.
        """
        order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i]))
        chosen = [list(sentences[i]) for i in order]
        ahead, paths = self._run(self.directions[0], table, [[0, *words] for words in chosen])
        back, turned = self._run(self.directions[1], table, [[1, *words[::-1]] for words in chosen])
        results = [table] * len(sentences)
        for i, path, turn in zip(order, paths, turned, strict=True):
            left = ahead.index_select(1, torch.tensor(path[1:]))
            right = back.index_select(1, torch.tensor(turn[:0:-1]))
            results[i] = torch.cat([left, right], dim=-1)
        return results

    def _run(
        self, lstms: Sequence[FrozenLSTM], table: Tensor, sentences: Sequence[Sequence[int]]
    ) -> tuple[Tensor, list[list[int]]]:
        """One direction, the longest sentence first: (layers, nodes, D), and each one's nodes."""
        tree = prefix_tree(sentences)
        branching = [parents for parents in tree.parents if parents is not None]
        rows = torch.tensor([i for places in (tree.words, *branching) for i in places])
        words, *moved = sent(rows, table.device).split([len(tree.words), *map(len, branching)])
        each = iter(moved)
        parents = [None if level is None else next(each) for level in tree.parents]
        layers = [x := table[words]]
        for k, lstm in enumerate(lstms):
            y = lstm(x, tree.sizes, parents)
            x = y.add_(x) if k > 0 and self.skip else y
            layers.append(x)
        return torch.stack(layers).cpu(), tree.paths  # a GPU is waited for once a batch


class FrozenBiLM(FrozenDirections):
    """Adds the character CNN, which stays in float32: words are read once, not tokens."""

    def __init__(self, bilm: BiLM, precision: str = "float32") -> None:
        super().__init__((bilm.forward_lstm, bilm.backward_lstm), bilm.options.skip, precision)
        self.char_cnn = FrozenCharCNN(bilm.char_cnn, bilm.options)


class FrozenLSTM:
    """One direction of one layer; see `ProjectedLSTM` for the equations.

    tanh(x) = 2·(σ(2x) − ½), and torch's tanh takes three times as long as its sigmoid. So every
    tanh is a sigmoid here; the weights hold the factors 2, which round nothing.
    """

    def __init__(self, lstm: ProjectedLSTM, precision: str) -> None:
        self.cells = lstm.projection.shape[1]
        bias, read, recur = (
            weight.detach().clone()
            for weight in (lstm.bias, lstm.input_weight, lstm.recurrent_weight)
        )
        bias[2 * self.cells : 3 * self.cells] += 1  # the forget gate's
        for weight in (bias, read, recur):
            weight[self.cells : 2 * self.cells] *= 2  # the candidate's
        self.read = product(read, precision, bias)
        self.recur = product(recur, precision)
        self.project = product(2 * lstm.projection.detach(), precision)
        self.cell_clip, self.proj_clip = lstm.cell_clip or math.inf, lstm.proj_clip or math.inf

    def __call__(
        self, inputs: Tensor, sizes: Sequence[int], parents: Sequence[Tensor | None]
    ) -> Tensor:
        """(nodes, D) → (nodes, D); `sizes` and `parents` are a PrefixTree's."""
        outputs, start = torch.empty_like(inputs), 0
        inputs = F.pad(inputs, (0, 0, 0, ROUND - 1))
        hidden = inputs.new_zeros(1, inputs.shape[1])
        cell = inputs.new_zeros(1, self.cells)
        above = iter(parents)
        gates_at_once = portions(inputs.device).gates
        for steps in _chunks(sizes, gates_at_once // (4 * self.cells)):
            rows = sum(steps)
            gates = self.read(inputs[start : start + rows + -rows % ROUND])[:rows]
            for gate in gates.split(steps):
                nodes, places = len(gate), next(above)
                if places is None:
                    hidden, cell = hidden[:nodes], cell[:nodes]
                else:
                    hidden, cell = hidden[places], cell[places]
                hidden = self._step(gate.add_(self.recur(hidden)), cell)
                outputs[start : start + nodes] = hidden
                start += nodes
        return outputs

    def _step(self, gates: Tensor, cell: Tensor) -> Tensor:
        """The new hidden state; `cell` is brought up to date where it is."""
        i, j, f, o = gates.sigmoid_().split(self.cells, dim=-1)
        cell.mul_(f).addcmul_(i, j.sub_(0.5), value=2).clamp_(-self.cell_clip, self.cell_clip)
        read = torch.mul(cell, 2, out=j).sigmoid_().sub_(0.5).mul_(o)
        return self.project(read).clamp_(-self.proj_clip, self.proj_clip)


class FrozenCharCNN(CharCNN):
    """The same parameters; the products with filters and linear layers laid out once."""

    def __init__(self, char_cnn: CharCNN, options: Options) -> None:
        with torch.device("meta"):
            super().__init__(options)
        self.load_state_dict(char_cnn.state_dict(), assign=True)
        self._filters = product(self._matrix())
        for module in list(self.modules()):
            for name, part in module.named_children():
                if isinstance(part, nn.Linear):
                    setattr(module, name, FrozenLinear(part))

    def _filtered(self, windows: Tensor) -> Tensor:
        return self._filters(windows)


class FrozenLinear(nn.Module):
    """(…, in) → (…, out)"""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.product = product(linear.weight, bias=linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        return self.product(x)


ROUND = 16
"""Inputs are read in multiples of it: oneDNN keeps a megabyte of code for each number of rows."""


def _chunks(sizes: Sequence[int], rows: int) -> list[list[int]]:
    """Neighbouring steps of at most so many rows together, or one step alone."""
    chunks: list[list[int]] = [[]]
    for size in sizes:
        if chunks[-1] and sum(chunks[-1]) + size > rows:
            chunks.append([])
        chunks[-1].append(size)
    return chunks
