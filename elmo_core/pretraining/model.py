"""LanguageModel: a biLM and its softmax, over windows of contiguous streams.

Peters et al. 2018, sections 3.1 and 3.4; dropout as in the published training program.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_core.bilm.bilm import BiLM, State
from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.pretraining.corpus import Window
from elmo_core.pretraining.recurrence import unroll
from elmo_core.pretraining.softmax import Softmax


class LanguageModel(nn.Module):
    """Two language models that share character CNN and softmax; each has its own LSTMs."""

    def __init__(self, bilm: BiLM, words: int, dropout: float = 0.0) -> None:
        """Take a biLM; `words` is the size of the output vocabulary."""
        super().__init__()
        self.bilm = bilm
        self.softmax = Softmax(words, bilm.options.projection_dim)
        self.dropout = nn.Dropout(dropout)
        self.recorded: tuple[Direction, ...] = ()

    def forward(self, window: Window, state: State) -> tuple[Tensor, State]:
        """Compute what the softmax reads, (2, steps, batch, D), and the state after the window.

        No gradient flows back through the state: back-propagation ends at the window's edge.
        """
        return self.contexts(self.words(window), window, state)

    def words(self, window: Window) -> Tensor:
        """Compute the vectors of the window's words from their spelling: (distinct words, D)."""
        # In half precision the gradients of a frequent word's places would be summed up in it, too.
        return self.bilm.char_cnn(window.char_ids).float()

    def contexts(self, words: Tensor, window: Window, state: State) -> tuple[Tensor, State]:
        """Compute what `forward` returns, from the vectors of the window's words."""
        directions = (self.training and self.recorded) or self.directions()
        read = [
            direction(F.embedding(inputs, words), hidden, cell)
            for direction, inputs, hidden, cell in zip(
                directions, window.inputs, state.hidden, state.cell, strict=True
            )
        ]
        outputs, hiddens, cells = (torch.stack(parts) for parts in zip(*read, strict=True))
        return outputs, State(hiddens.detach(), cells.detach())

    def directions(self) -> tuple[Direction, Direction]:
        """Return the forward and the backward model, without character CNN and softmax."""
        skip = self.bilm.options.skip
        lstms = self.bilm.forward_lstm, self.bilm.backward_lstm
        forward, backward = (Direction(layers, self.dropout, skip) for layers in lstms)
        return forward, backward

    def record(self, steps: int, batch: int) -> None:
        """Record the LSTMs' work on a CUDA device, to be replayed as one piece in training.

        They are thousands of small operators a step, and a device waits for them to be launched.
        From then on a window in training has this shape, and the weights stay where they are.
        """
        weight = self.softmax.weight
        state = self.bilm.zero_state(batch, weight)
        kind, enabled = weight.device.type, torch.is_autocast_enabled(weight.device.type)
        # Weights that autocast keeps in half precision would be those of the day of the recording.
        with torch.autocast(kind, torch.get_autocast_dtype(kind), enabled, cache_enabled=False):
            directions = self.directions()
            for d, direction in enumerate(directions):
                # Of its own: what was read lies there until the gradient has been taken.
                x = weight.new_zeros(steps, batch, weight.shape[1]).requires_grad_()
                torch.cuda.make_graphed_callables(direction, (x, state.hidden[d], state.cell[d]))
            self.recorded = directions


class Direction(nn.Module):
    """The LSTMs of one direction over a window: (steps, batch, D) and a state → the same."""

    def __init__(self, lstms: nn.ModuleList, dropout: nn.Dropout, skip: bool) -> None:
        super().__init__()
        self.lstms, self.dropout, self.skip = lstms, dropout, skip

    def forward(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Read a window; the state is (depth, batch, D) and (depth, batch, H)."""
        hiddens, cells = [], []
        for k, lstm in enumerate(self.lstms):
            assert isinstance(lstm, ProjectedLSTM)
            x = self.dropout(x)
            y, *after = unroll(lstm, x, hidden[k], cell[k])
            x = y + x if k > 0 and self.skip else y
            hiddens.append(after[0].float())
            cells.append(after[1])
        return self.dropout(x), torch.stack(hiddens), torch.stack(cells)
