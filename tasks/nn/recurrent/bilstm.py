"""Bidirectional LSTM over padded sequences, quick to train on a CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from elmo_core.products import linear, outer, times
from elmo_core.slopes import by_sigmoid, by_tanh
from tasks.nn.autocast import for_products
from tasks.nn.recurrent.packed import Packed, mirror, pack, previous, shifted, walk


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

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Read both ways; `lengths` (batch,), on the CPU, are at least 1 each."""
        packed = pack(x, lengths)
        on_cpu = x.device.type == "cpu"
        return packed.unpack(
            self._on_cpu(packed) if on_cpu else self.rnn(packed.sequence())[0].data
        )

    def _on_cpu(self, packed: Packed) -> Tensor:
        """Read both directions; one product gives the gates of all steps their part of the
        input."""
        bias = self._both("bias_ih") + self._both("bias_hh")
        gates = linear(packed.data, self._both("weight_ih"), bias)
        u = for_products(self._both("weight_hh"))
        with torch.autocast("cpu", enabled=False):
            h: Tensor = _Recurrence.apply(gates, u, packed.batch_sizes, bias.dtype)
        return h

    def _both(self, name: str) -> Tensor:
        """Put a parameter of both directions one below the other."""
        return torch.cat([getattr(self.rnn, name + end) for end in ("_l0", "_l0_reverse")])


class _Recurrence(Function):
    """The recurrence of both directions, with its gradient by hand: the gates' part of x → h.

    c' = f c + i g, h' = o tanh(c'); i, f, o = σ(x + U h), g = tanh(x_g + U_g h), the blocks in the
    order i, f, g, o. Autograd would multiply the gradient of U out at every step; here only what
    depends on the neighbouring step is computed step by step, and U gets its gradient from one
    product over all tokens. Products with U are taken in U's precision.
    """

    @staticmethod
    def forward(
        ctx: Any, gates: Tensor, u: Tensor, batch_sizes: Tensor, dtype: torch.dtype
    ) -> Tensor:
        """Map packed `gates`, from the left and from the right (all tokens, 8 * hidden), with `u`
        (8 * hidden, hidden) of the same precision, to h (all tokens, 2 * hidden) of `dtype`;
        `batch_sizes` says how many sequences have a token at each step, the longest first."""
        steps, mirrored = batch_sizes.tolist(), mirror(batch_sizes)
        (left, right), (ahead, back) = gates.chunk(2, dim=1), u.chunk(2)
        from_left = _read(left.to(dtype, copy=True), ahead, steps)
        from_right = _read(right.index_select(0, mirrored).to(dtype), back, steps)
        ctx.save_for_backward(u, mirrored, previous(batch_sizes), *from_left, *from_right)
        ctx.steps = steps
        return torch.cat([from_left[-1], from_right[-1].index_select(0, mirrored)], dim=1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> Any:
        u, mirrored, before, *states = ctx.saved_tensors
        (left, right), (ahead, back) = d_output.chunk(2, dim=1), u.chunk(2)
        d_left, d_ahead = _gradients(left, ahead, ctx.steps, before, *states[:4])
        right = right.index_select(0, mirrored)
        d_right, d_back = _gradients(right, back, ctx.steps, before, *states[4:])
        d_gates = torch.cat([d_left, d_right.index_select(0, mirrored)], dim=1)
        return d_gates, torch.cat([d_ahead, d_back]), None, None


def _read(gates: Tensor, u: Tensor, steps: list[int]) -> tuple[Tensor, ...]:
    """Read in one direction: x's part of the gates, which become the gates in place, and c,
    tanh(c) and h of all tokens."""
    hidden = u.shape[1]
    cells, squashed, output = gates.new_empty(3, len(gates), hidden).unbind()
    h, c = gates.new_zeros(2, steps[0], hidden).unbind()
    for rows, n in walk(steps):
        now = gates[rows]
        now += times(h[:n].to(u.dtype), u)
        i, f, g, o = now.chunk(4, dim=1)
        now[:, : 2 * hidden].sigmoid_()
        g.tanh_()
        o.sigmoid_()
        c = torch.mul(f, c[:n], out=cells[rows]).addcmul_(i, g)
        h = torch.mul(o, torch.tanh(c, out=squashed[rows]), out=output[rows])
    return gates, cells, squashed, output


def _gradients(
    d_output: Tensor,
    u: Tensor,
    steps: list[int],
    before: Tensor,
    gates: Tensor,
    cells: Tensor,
    squashed: Tensor,
    output: Tensor,
) -> tuple[Tensor, Tensor]:
    """Compute the gradients of x's part of the gates and of `u`, in its precision."""
    i, f, g, o = gates.chunk(4, dim=1)
    # Derivatives of c' by the pre-activations of i, f, g and of h' by that of o, for all tokens at
    # once; they become the gates' gradient in place.
    slopes = gates.new_empty(len(gates), 4, u.shape[1])
    by_sigmoid(g, i, out=slopes[:, 0])
    by_sigmoid(shifted(cells, before), f, out=slopes[:, 1])
    by_tanh(i, g, out=slopes[:, 2])
    by_sigmoid(squashed, o, out=slopes[:, 3])
    h_by_c = by_tanh(o, squashed)
    d_h, d_c = gates.new_zeros(2, steps[0], u.shape[1]).unbind()
    for rows, n in reversed(walk(steps)):
        now = slopes[rows]
        d_h[:n] += d_output[rows]
        d_c[:n].addcmul_(d_h[:n], h_by_c[rows])
        now[:, :3] *= d_c[:n].unsqueeze(1)
        now[:, 3] *= d_h[:n]
        d_c[:n] *= f[rows]
        d_h[:n] = times(now.flatten(1).to(u.dtype), u.t())
    d_gates = slopes.flatten(1).to(u.dtype)
    return d_gates, outer(d_gates, shifted(output, before).to(u.dtype))
