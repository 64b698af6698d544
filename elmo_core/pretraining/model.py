"""LanguageModel: a biLM and its softmax, over windows of contiguous streams.

Peters et al. 2018, sections 3.1 and 3.4; dropout as in the published training program.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence

from elmo_core.bilm import BiLM, State
from elmo_core.chars import PADDING
from elmo_core.lstm import ProjectedLSTM
from elmo_core.pretraining.corpus import Window
from elmo_core.pretraining.softmax import Softmax

CHUNK_WORDS = 256
"""Words in one pass of the character CNN."""


class LanguageModel(nn.Module):
    """Forward and backward share the character CNN and the softmax; each has its own LSTMs."""

    def __init__(self, bilm: BiLM, words: int, dropout: float = 0.0) -> None:
        """`words` is the size of the output vocabulary."""
        super().__init__()
        self.bilm = bilm
        self.softmax = Softmax(words, bilm.options.projection_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, window: Window, state: State) -> tuple[Tensor, State]:
        """What the softmax reads, (2, steps, batch, D), and the state after the window.

        No gradient flows back through the state: back-propagation ends at the window's edge.
        """
        words = spell(self.bilm, window.char_ids)
        outputs, hiddens, cells = [], [], []
        for d, lstms in enumerate((self.bilm.forward_lstm, self.bilm.backward_lstm)):
            x = F.embedding(window.inputs[d], words)
            for k, lstm in enumerate(lstms):
                assert isinstance(lstm, ProjectedLSTM)
                x = self.dropout(x)
                y, hidden, cell = _run(lstm, x, state.hidden[d, k], state.cell[d, k])
                x = y + x if k > 0 and self.bilm.options.skip else y
                hiddens.append(hidden.detach().float())
                cells.append(cell.detach().float())
            outputs.append(self.dropout(x))
        after = (torch.stack(parts).unflatten(0, (2, -1)) for parts in (hiddens, cells))
        return torch.stack(outputs), State(*after)


def _run(
    lstm: ProjectedLSTM, inputs: Tensor, hidden: Tensor, cell: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A layer over (steps, batch, D): rows of equal length, so that packing costs nothing.

    The product with the inputs is one for all steps; the recurrence is clipped at every step. One
    call of `torch.nn.LSTM` over the window, good as long as no clip acts, would have nothing to do:
    after 40 steps of training elmo-mini, one memory cell in ten is at its bound, in every window.
    """
    steps, batch, _ = inputs.shape
    order = torch.arange(batch, device=inputs.device)
    packed = PackedSequence(inputs.flatten(0, 1), torch.full((steps,), batch), order, order)
    outputs, hidden, cell = lstm(packed, hidden, cell)
    return outputs.data.view(steps, batch, -1), hidden, cell


def spell(bilm: BiLM, char_ids: Tensor) -> Tensor:
    """Float32 (words, D) from (words, characters), which must come with the shortest word first.

    Behind a word's end all places of a filter see padding, and give the same number. So words
    are cut just behind the place where the longest of their chunk and the widest filter end: a
    quarter of the work for English, and the maximum over places is the same.
    """
    widest = max(width for width, _ in bilm.options.filters)
    tables = []
    for chunk in char_ids.split(CHUNK_WORDS):
        longest = int((chunk[-1] != PADDING + 1).sum())
        tables.append(bilm.char_cnn(chunk[:, : longest + widest]))
    # In half precision the gradients of a frequent word's places would be summed up in it, too.
    return torch.cat(tables).float()
