"""Bidirectional GRU over padded sequences, quick to train on a CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from elmo_core.products import linear
from elmo_core.slopes import by_sigmoid, by_tanh
from tasks.nn.recurrent.packed import Packed, mirror, pack, previous, shifted, walk

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

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Read both ways; `lengths` (batch,), on the CPU, are at least 1 each."""
        packed = pack(x, lengths)
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
        gates = linear(packed.data, w_input.flatten(0, 1), b_input.flatten())
        with torch.autocast("cpu", enabled=False):
            h: Tensor = _Recurrence.apply(gates, w_state, b_state, packed.batch_sizes)
        return h


class _Recurrence(Function):
    """The GRU's arithmetic in both directions at once, with its gradient by hand.

    h' = n + z (h − n), n = tanh(x_n + r a), a = U_n h + b_n; r, z = σ(x + U h + b). Autograd would
    multiply the gradient of U out at every step; here only what depends on the neighbouring step
    is computed step by step, and U gets its gradient from one product over all tokens.

    Without this class, `torch.nn.GRU` gives the same numbers in up to twice the time on a CPU.
    """

    @staticmethod
    def forward(ctx: Any, gates: Tensor, u: Tensor, bias: Tensor, batch_sizes: Tensor) -> Tensor:
        """Map packed `gates`, x's part of r, z, n from the left and from the right (all tokens, 6 *
        hidden), of any precision, with `u` (2, 3 * hidden, hidden) and `bias` (2, 3 * hidden), to h
        (all tokens, 2 * hidden); `batch_sizes` says how many sequences have a token at each step,
        the longest first."""
        hidden, steps, mirrored = u.shape[2], batch_sizes.tolist(), mirror(batch_sizes)
        x = u.new_empty(2, len(gates), 3 * hidden)
        x[0], x[1] = gates[:, : 3 * hidden], gates[:, 3 * hidden :].index_select(0, mirrored)
        rza = torch.empty_like(x)
        new, output = x.new_empty(2, 2, len(gates), hidden).unbind()
        h = x.new_zeros(2, steps[0], hidden)
        recurrent, bias = u.transpose(1, 2).contiguous(), bias.unsqueeze(1)
        for rows, size in walk(steps):
            h = h[:, :size]
            now = torch.baddbmm(bias, h, recurrent, out=rza[:, rows])
            r, z = now[:, :, : 2 * hidden].add_(x[:, rows, : 2 * hidden]).sigmoid_().chunk(2, dim=2)
            n = torch.addcmul(
                x[:, rows, 2 * hidden :], r, now[:, :, 2 * hidden :], out=new[:, rows]
            )
            h = torch.lerp(n.tanh_(), h, z, out=output[:, rows])
        ctx.save_for_backward(u, rza, new, output, mirrored, previous(batch_sizes))
        ctx.steps, ctx.dtype = steps, gates.dtype
        return torch.cat([output[0], output[1].index_select(0, mirrored)], dim=1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> Any:
        u, rza, new, output, mirrored, before = ctx.saved_tensors
        hidden, before_h = u.shape[2], shifted(output, before)
        r, z, a = rza.chunk(3, dim=2)
        # Derivatives of h' by the three pre-activations of U h + b, for all tokens at once; they
        # become the gradient of these in place.
        by_n = by_tanh(1 - z, new)
        slopes = u.new_empty(*new.shape[:2], 3, hidden)
        by_sigmoid(by_n * a, r, out=slopes[:, :, 0])
        by_sigmoid(before_h - new, z, out=slopes[:, :, 1])
        torch.mul(by_n, r, out=slopes[:, :, 2])
        d_h = torch.empty_like(output)  # grows by what comes from the next step
        d_h[0], d_h[1] = d_output[:, :hidden], d_output[:, hidden:].index_select(0, mirrored)
        carried = u.new_zeros(2, 0, hidden)
        for rows, _ in reversed(walk(ctx.steps)):
            now = d_h[:, rows]
            now[:, : carried.shape[1]] += carried
            d_now = slopes[:, rows].mul_(now.unsqueeze(2)).flatten(2)
            carried = torch.baddbmm(now * z[:, rows], d_now, u)
        d_gates = slopes.flatten(2)
        d_u, d_bias = d_gates.transpose(1, 2) @ before_h, d_gates.sum(1)
        torch.mul(by_n, d_h, out=d_gates[:, :, 2 * hidden :])  # x_n is not behind r
        d_x = d_output.new_empty(len(d_output), 6 * hidden, dtype=ctx.dtype)
        d_x[:, : 3 * hidden] = d_gates[0]
        d_x[:, 3 * hidden :] = d_gates[1].index_select(0, mirrored)
        return d_x, d_u, d_bias, None
