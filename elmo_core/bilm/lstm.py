"""An LSTM with a projected output, and with its memory and its projection clipped.

Sak et al. 2014 (projection); Józefowicz et al. 2016 and Peters et al. 2018, section 3.4 (clipping).
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from elmo_core.bilm.options import Options
from elmo_core.products import linear


class ProjectedLSTM(nn.Module):
    """One direction of one layer, from D to D through H memory cells.

    One step, with the gates in the order i, j (candidate), f, o:

        c = clip(σ(i)·tanh(j) + σ(f + 1)·c)        h = clip(P(σ(o)·tanh(c)))

    The bias is kept as it was published, without the 1 of the forget gate, which is added once per
    call: so the weights travel between file formats without a rounding error.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        inner, outer = options.cells, options.projection_dim
        self.cell_clip, self.proj_clip = options.cell_clip, options.proj_clip
        self.input_weight = nn.Parameter(torch.empty(4 * inner, outer))
        self.recurrent_weight = nn.Parameter(torch.empty(4 * inner, outer))
        self.bias = nn.Parameter(torch.empty(4 * inner))
        self.projection = nn.Parameter(torch.empty(outer, inner))

    def forward(
        self, inputs: PackedSequence, hidden: Tensor, cell: Tensor
    ) -> tuple[PackedSequence, Tensor, Tensor]:
        """Run over sentences packed by length, each from its own state.

        `hidden` (batch, D) and `cell` (batch, H) are in the order of the batch before packing, on
        the way in and out; coming out, each row is the state at the sentence's own last token.
        """
        hidden, cell = hidden[inputs.sorted_indices], cell[inputs.sorted_indices]
        sizes = inputs.batch_sizes.tolist()
        steps = linear(inputs.data, self.input_weight, self._bias()).split(sizes)
        outputs, ended = [], []
        for step, running in zip(steps, sizes, strict=True):
            if running < len(hidden):  # the shortest sentences come last, and leave first
                ended.append((hidden[running:], cell[running:]))
                hidden, cell = hidden[:running], cell[:running]
            hidden, cell = self._step(step, hidden, cell)
            outputs.append(hidden)
        ended.append((hidden, cell))
        hiddens, cells = (torch.cat(rows[::-1]) for rows in zip(*ended, strict=True))
        back = inputs.unsorted_indices
        return inputs._replace(data=torch.cat(outputs)), hiddens[back], cells[back]

    def _step(self, gates: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        gates = gates + linear(hidden, self.recurrent_weight)
        i, j, f, o = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(i) * torch.tanh(j) + torch.sigmoid(f) * cell
        cell = _clip(cell, self.cell_clip)
        hidden = linear(torch.sigmoid(o) * torch.tanh(cell), self.projection)
        return _clip(hidden, self.proj_clip), cell

    def _bias(self) -> Tensor:
        i, j, f, o = self.bias.chunk(4)
        return torch.cat([i, j, f + 1.0, o])


def _clip(x: Tensor, bound: float | None) -> Tensor:
    return x if bound is None else x.clamp(-bound, bound)
