"""Bidirectional GRU over padded sequences, quick to train on a CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from elmo_core.products import linear
from tasks.nn.padding import taken
from tasks.nn.recurrent.packed import Packed, mirror, pack, walk
from tasks.nn.recurrent.slopes import by_sigmoid, by_tanh

STD = 0.05  # of all matrices at the start


class BiGRU(nn.Module):
    """One bidirectional GRU layer: (batch, tokens, input) → (batch, tokens, 2 * hidden).

    Sequences are packed, so padding never touches a state; positions past the end are zero.
    Matrices start from a normal distribution cut off at two standard deviations, biases at zero, as
    in Clark & Gardner's code. The function is torch.nn.GRU's, which computes it on a GPU; on a CPU,
    `_Recurrence` takes half the time.
    """

    def __init__(self, input_dim: int, hidden: int) -> None:
        super().__init__()
        self.output_dim = 2 * hidden
        self.rnn = nn.GRU(input_dim, hidden, batch_first=True, bidirectional=True)
        for name, parameter in self.rnn.named_parameters():
            if "bias" in name:
                nn.init.zeros_(parameter)
            else:
                nn.init.trunc_normal_(parameter, std=STD, a=-2 * STD, b=2 * STD)

    def forward(self, x: Tensor, mask: Tensor, lengths: Tensor | None = None) -> Tensor:
        """Read both ways; `mask` (batch, tokens) is True at real tokens, at least one a row;
        `lengths` (batch,), on the CPU, spare a GPU a wait (`packed.pack`)."""
        packed = pack(x, mask, lengths)
        on_cpu = x.device.type == "cpu"
        return packed.unpack(
            self._on_cpu(packed) if on_cpu else self.rnn(packed.sequence())[0].data
        )

    def _on_cpu(self, packed: Packed) -> Tensor:
        """Read both directions in step: the second one reads the sequences from their ends."""
        w_input, b_input, w_state, b_state = (
            torch.stack([getattr(self.rnn, name + "_l0"), getattr(self.rnn, name + "_l0_reverse")])
            for name in ("weight_ih", "bias_ih", "weight_hh", "bias_hh")
        )
        mirrored = mirror(packed.batch_sizes)
        gates = linear(packed.data, w_input.flatten(0, 1), b_input.flatten())
        with torch.autocast("cpu", enabled=False):
            gates = gates.to(w_state.dtype)
            forward, backward = gates.chunk(2, dim=1)
            gates = torch.stack([forward, taken(backward, mirrored)])
            h = _Recurrence.apply(gates, w_state, b_state, packed.batch_sizes.tolist())
        return torch.cat([h[0], taken(h[1], mirrored)], dim=1)


class _Recurrence(Function):
    """The GRU's arithmetic in both directions at once, with its gradient by hand.

    h' = n + z (h − n), n = tanh(x_n + r a), a = U_n h + b_n; r, z = σ(x + U h + b). Autograd would
    multiply the gradient of U out at every step; here only what depends on the neighbouring step
    is computed step by step, and U gets its gradient from one product over all tokens.

    Without this class, `torch.nn.GRU` gives the same numbers in up to twice the time on a CPU.
    """

    @staticmethod
    def forward(ctx: Any, gates: Tensor, u: Tensor, bias: Tensor, steps: list[int]) -> Tensor:
        """Map packed `gates`, x's part of r, z, n (2, all tokens, 3 * hidden), with `u` (2, 3 *
        hidden, hidden) and `bias` (2, 3 * hidden), to h (2, all tokens, hidden); `steps` says how
        many sequences have a token at each step, the longest first."""
        hidden = u.shape[2]
        output, before, inner, n = gates.new_empty(4, *gates.shape[:2], hidden).unbind()
        rz = gates[:, :, : 2 * hidden].clone()
        h = gates.new_zeros(2, steps[0], hidden)
        recurrent, bias = u.transpose(1, 2).contiguous(), bias.unsqueeze(1)
        for rows, size in walk(steps):
            before[:, rows] = h = h[:, :size]
            from_state = torch.baddbmm(bias, h, recurrent)
            r, z = rz[:, rows].add_(from_state[:, :, : 2 * hidden]).sigmoid_().chunk(2, dim=2)
            inner[:, rows] = from_state[:, :, 2 * hidden :]
            new = torch.addcmul(gates[:, rows, 2 * hidden :], r, inner[:, rows]).tanh_()
            n[:, rows] = new
            output[:, rows] = h = torch.lerp(new, h, z)
        ctx.save_for_backward(u, rz, inner, n, before)
        ctx.steps = steps
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> Any:
        u, rz, inner, n, before = ctx.saved_tensors
        r, z = rz.chunk(2, dim=2)
        # Derivatives of h' by the three pre-activations of U h + b, for all tokens at once.
        by_n = by_tanh(1 - z, n)
        slopes = torch.stack(
            [by_sigmoid(by_n * inner, r), by_sigmoid(before - n, z), by_n * r], dim=2
        )
        d_h = d_output.clone()  # grows by what comes from the next step
        carried = d_output.new_zeros(2, 0, u.shape[2])
        for rows, _ in reversed(walk(ctx.steps)):
            now = d_h[:, rows]
            now[:, : carried.shape[1]] += carried
            d_gates = (slopes[:, rows] * now.unsqueeze(2)).flatten(2)
            carried = torch.baddbmm(now * z[:, rows], d_gates, u)
        d_recurrent = (slopes * d_h.unsqueeze(2)).flatten(2)
        d_gates = torch.cat([d_recurrent[:, :, : 2 * u.shape[2]], by_n * d_h], dim=2)
        return d_gates, d_recurrent.transpose(1, 2) @ before, d_recurrent.sum(1), None
