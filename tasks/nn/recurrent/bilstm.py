"""Bidirectional LSTM over padded sequences, quick to train on a CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from elmo_core.products import linear, outer, times
from tasks.nn.autocast import for_products
from tasks.nn.padding import taken
from tasks.nn.recurrent.packed import Packed, mirror, pack, walk
from tasks.nn.recurrent.slopes import by_sigmoid, by_tanh


class BiLSTM(nn.Module):
    """One bidirectional LSTM layer: (batch, tokens, input) → (batch, tokens, 2 * hidden).

    Sequences are packed, so padding never touches a state; positions past the end are zero.
    Recurrent matrices start orthogonal, input matrices Xavier-uniform, forget biases at 1. The
    function is torch.nn.LSTM's, which computes it on a GPU; on a CPU `_Recurrence` is quicker.
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

    def forward(self, x: Tensor, mask: Tensor, lengths: Tensor | None = None) -> Tensor:
        """Read both ways; `mask` (batch, tokens) is True at real tokens, at least one a row;
        `lengths` (batch,), on the CPU, spare a GPU a wait (`packed.pack`)."""
        packed = pack(x, mask, lengths)
        on_cpu = x.device.type == "cpu"
        return packed.unpack(
            self._on_cpu(packed) if on_cpu else self.rnn(packed.sequence())[0].data
        )

    def _on_cpu(self, packed: Packed) -> Tensor:
        """Read both directions; one product gives the gates of all steps their part of the
        input."""
        mirrored, steps = mirror(packed.batch_sizes), packed.batch_sizes.tolist()
        bias = self._both("bias_ih") + self._both("bias_hh")
        gates = linear(packed.data, self._both("weight_ih"), bias)
        ahead, back = for_products(self._both("weight_hh")).chunk(2)
        with torch.autocast("cpu", enabled=False):
            forward, backward = gates.chunk(2, dim=1)
            left = _Recurrence.apply(forward, ahead, steps, bias.dtype)
            right = _Recurrence.apply(taken(backward, mirrored), back, steps, bias.dtype)
            return torch.cat([left, taken(right, mirrored)], dim=1)

    def _both(self, name: str) -> Tensor:
        """Put a parameter of both directions one below the other."""
        return torch.cat([getattr(self.rnn, name + end) for end in ("_l0", "_l0_reverse")])


class _Recurrence(Function):
    """The recurrence of one direction, with its gradient by hand: the gates' part of the input → h.

    c' = f c + i g, h' = o tanh(c'); i, f, o = σ(x + U h), g = tanh(x_g + U_g h), the blocks in the
    order i, f, g, o. Autograd would multiply the gradient of U out at every step; here only what
    depends on the neighbouring step is computed step by step, and U gets its gradient from one
    product over all tokens. Products with U are taken in U's precision.
    """

    @staticmethod
    def forward(ctx: Any, gates: Tensor, u: Tensor, steps: list[int], dtype: torch.dtype) -> Tensor:
        """Map packed `gates` (all tokens, 4 * hidden), with `u` (4 * hidden, hidden) of the same
        precision, to h (all tokens, hidden) of `dtype`; `steps` says how many sequences have a
        token at each step, the longest first."""
        hidden = u.shape[1]
        gates = gates.to(dtype, copy=True)  # the state's part is added below
        output, squashed, before_h, before_c = gates.new_empty(4, len(gates), hidden).unbind()
        h, c = gates.new_zeros(2, steps[0], hidden).unbind()
        for rows, n in walk(steps):
            before_h[rows], before_c[rows] = h[:n], c[:n]
            now = gates[rows]
            now += times(h[:n].to(u.dtype), u)
            i, f, g, o = now.chunk(4, dim=1)
            now[:, : 2 * hidden].sigmoid_()
            g.tanh_()
            o.sigmoid_()
            c[:n].mul_(f).addcmul_(i, g)
            torch.tanh(c[:n], out=squashed[rows])
            torch.mul(o, squashed[rows], out=output[rows])
            h[:n] = output[rows]
        ctx.save_for_backward(gates, u, squashed, before_h, before_c)
        ctx.steps = steps
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> Any:
        gates, u, squashed, before_h, before_c = ctx.saved_tensors
        i, f, g, o = gates.chunk(4, dim=1)
        # Derivatives of c' by the pre-activations of i, f, g and of h' by that of o, for all tokens
        # at once; they become the gates' gradient in place.
        slopes = gates.new_empty(len(gates), 4, u.shape[1])
        by_sigmoid(g, i, out=slopes[:, 0])
        by_sigmoid(before_c, f, out=slopes[:, 1])
        by_tanh(i, g, out=slopes[:, 2])
        by_sigmoid(squashed, o, out=slopes[:, 3])
        h_by_c = by_tanh(o, squashed)
        d_h, d_c = d_output.new_zeros(2, ctx.steps[0], u.shape[1]).unbind()
        for rows, n in reversed(walk(ctx.steps)):
            now = slopes[rows]
            d_h[:n] += d_output[rows]
            d_c[:n].addcmul_(d_h[:n], h_by_c[rows])
            now[:, :3] *= d_c[:n].unsqueeze(1)
            now[:, 3] *= d_h[:n]
            d_c[:n] *= f[rows]
            d_h[:n] = times(now.flatten(1).to(u.dtype), u.t())
        d_gates = slopes.flatten(1).to(u.dtype)
        return d_gates, outer(d_gates, before_h.to(u.dtype)), None, None
