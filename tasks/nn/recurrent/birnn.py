"""Bidirectional LSTM over padded sequences."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiLSTM(nn.Module):
    """One bidirectional LSTM layer: (batch, tokens, input) → (batch, tokens, 2 * hidden).

    Sequences are packed, so padding never touches a state; positions past the end are zero.
    Recurrent matrices start orthogonal, input matrices Xavier-uniform, forget biases at 1.
    """

    def __init__(self, input_dim: int, hidden: int) -> None:
        super().__init__()
        self.output_dim = 2 * hidden
        self.rnn = nn.LSTM(input_dim, hidden, batch_first=True, bidirectional=True)
        for name, parameter in self.rnn.named_parameters():
            if "bias" in name:
                nn.init.zeros_(parameter)
                if "bias_hh" in name:
                    parameter.data[hidden : 2 * hidden] = 1.0
            elif "weight_hh" in name:
                for gate in parameter.data.chunk(4):
                    nn.init.orthogonal_(gate)
            else:
                nn.init.xavier_uniform_(parameter)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`mask` (batch, tokens): True at real tokens; every sequence has at least one."""
        packed = pack_padded_sequence(x, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        output, _ = pad_packed_sequence(
            self.rnn(packed)[0], batch_first=True, total_length=x.shape[1]
        )
        return output
