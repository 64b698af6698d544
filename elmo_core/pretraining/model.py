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
        outputs, hiddens, cells = [], [], []
        for d, lstms in enumerate((self.bilm.forward_lstm, self.bilm.backward_lstm)):
            x = F.embedding(window.inputs[d], words)
            for k, lstm in enumerate(lstms):
                assert isinstance(lstm, ProjectedLSTM)
                x = self.dropout(x)
                y, hidden, cell = unroll(lstm, x, state.hidden[d, k], state.cell[d, k])
                x = y + x if k > 0 and self.bilm.options.skip else y
                hiddens.append(hidden.float())
                cells.append(cell)
            outputs.append(self.dropout(x))
        after = (torch.stack(parts).unflatten(0, (2, -1)) for parts in (hiddens, cells))
        return torch.stack(outputs), State(*after)
