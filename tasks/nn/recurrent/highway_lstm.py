"""A stack of highway LSTMs that read by turns left to right and right to left.

He et al. 2017, Deep Semantic Role Labeling, section 2.2. At each step, from the input x and the
state before it (h', c'):

    i, f, o, t = σ(W x + U h' + b)        g = tanh(W_g x + U_g h' + b_g)
    c = f ∘ c' + i ∘ g                    h = z ∘ (t ∘ o ∘ tanh(c) + (1 − t) ∘ W_k x)

W has six blocks, U and b five; z is a dropout mask, one for all steps of a sequence.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from elmo_core.devices import sent
from elmo_core.dropout import dropout
from elmo_core.products import linear, outer, times
from elmo_core.slopes import by_sigmoid, by_tanh
from tasks.nn.autocast import for_products
from tasks.nn.recurrent.packed import pack, previous, shifted, walk


class AlternatingLSTM(nn.Module):
    """The whole stack: (batch, tokens, input) → (batch, tokens, hidden).

    The first layer reads left to right, the second right to left, and so on. Each sequence is read
    over its own tokens alone; positions past its end are zero. `dropout` is variational: the same
    features of h are dropped at every step, for the layer above and for the next step.
    """

    def __init__(self, input_dim: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.output_dim = hidden
        self.layers = nn.ModuleList(
            HighwayLSTM(hidden if i else input_dim, hidden, dropout, reverse=i % 2 == 1)
            for i in range(layers)
        )

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Read by turns; `lengths` (batch,), on the CPU, are at least 1 each."""
        packed = pack(x, lengths)
        data, steps = packed.data, packed.batch_sizes.tolist()
        before = sent(previous(packed.batch_sizes), x.device)
        for layer in self.layers:
            data = layer(data, steps, before)
        return packed.unpack(data)


class HighwayLSTM(nn.Module):
    """One layer, in one direction, over packed sequences: (all tokens, input) → (…, hidden).

    Each of the blocks of W and U starts orthogonal; biases start at 0, the forget gate's at 1.
    """

    def __init__(self, input_dim: int, hidden: int, dropout: float, *, reverse: bool) -> None:
        super().__init__()
        self.p, self.reverse, self.hidden = dropout, reverse, hidden
        self.from_input = nn.Parameter(torch.empty(6 * hidden, input_dim))
        self.from_state = nn.Parameter(torch.empty(5 * hidden, hidden))
        self.bias = nn.Parameter(torch.zeros(5 * hidden))
        with torch.no_grad():
            for block in (*self.from_input.chunk(6), *self.from_state.chunk(5)):
                nn.init.orthogonal_(block)
            self.bias[2 * hidden : 3 * hidden] = 1.0

    def forward(self, x: Tensor, steps: list[int], before: Tensor) -> Tensor:
        """Read packed sequences; `steps` says how many of them have a token at each step, the
        longest first, and `before` which token each had before (`packed.previous`)."""
        drop = dropout(self.bias.new_ones(steps[0], self.hidden), self.p, self.training)
        gates = linear(x, self.from_input, F.pad(self.bias, (0, self.hidden)))
        from_state = for_products(self.from_state)
        with torch.autocast(x.device.type, enabled=False):
            return _Recurrence.apply(gates, from_state, drop, before, steps, self.reverse)


class _Recurrence(Function):
    """The recurrence, with its gradient by hand: the gates' part of the input → h.

    Autograd would multiply the gradient of U out at every step; here only what depends on the
    neighbouring step is computed step by step, and U gets its gradient from one product over all
    tokens. The blocks lie in the order g, i, f, o, t, k: the first three reach the loss through c
    alone, the last three through h alone. Products with U are taken in U's precision.

    Without this class, autograd gives the same numbers in 1.6 times the time on a CPU.
    """

    @staticmethod
    def forward(
        ctx: Any,
        gates: Tensor,  # (all tokens, 6 * hidden), packed
        from_state: Tensor,
        drop: Tensor,  # (batch, hidden)
        before: Tensor,
        steps: list[int],
        reverse: bool,
    ) -> Tensor:
        hidden, dtype = from_state.shape[1], from_state.dtype
        gates = gates.to(drop.dtype, copy=True)  # the state's part is added below
        squashed, highway, output, cells = gates.new_empty(4, len(gates), hidden).unbind()
        h, c = gates.new_empty(2, 0, hidden).unbind()  # before a sequence begins: as if zero
        for rows, n in walk(steps)[:: -1 if reverse else 1]:
            now, h, c = gates[rows, : 5 * hidden], h[:n], c[:n]
            if len(h):
                now[: len(h)] += times(h.to(dtype), from_state)
            now[:, :hidden].tanh_()
            now[:, hidden:].sigmoid_()
            g, i, f, o, t = now.chunk(5, dim=1)
            cell = torch.mul(i, g, out=cells[rows])
            cell[: len(c)].addcmul_(f[: len(c)], c)
            c = cell
            torch.mul(o, torch.tanh(c, out=squashed[rows]), out=highway[rows])
            h = torch.lerp(gates[rows, 5 * hidden :], highway[rows], t, out=output[rows])
            h *= drop[:n]
        ctx.save_for_backward(from_state, drop, before, gates, squashed, highway, output, cells)
        ctx.steps, ctx.reverse = steps, reverse
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> Any:
        from_state, drop, before, *states = ctx.saved_tensors
        gates, squashed, highway, output, cells = states
        hidden, dtype = from_state.shape[1], from_state.dtype
        before_c = shifted(cells, before, reverse=ctx.reverse)
        slopes, c_by_h, forget = _slopes(gates, squashed, highway, before_c)
        d_h, d_c = d_output.new_zeros(2, *drop.shape).unbind()
        for rows, n in walk(ctx.steps)[:: 1 if ctx.reverse else -1]:
            now = slopes[rows]  # becomes the gates' gradient in place
            d_h[:n].add_(d_output[rows]).mul_(drop[:n])
            d_c[:n].addcmul_(d_h[:n], c_by_h[rows])
            now[:, :3] *= d_c[:n].unsqueeze(1)
            now[:, 3:] *= d_h[:n].unsqueeze(1)
            d_c[:n] *= forget[rows]
            d_h[:n] = times(now.flatten(1)[:, : 5 * hidden].to(dtype), from_state.t())
        d_gates = slopes.flatten(1).to(dtype)
        before_h = shifted(output, before, reverse=ctx.reverse).to(dtype)
        return d_gates, outer(d_gates[:, : 5 * hidden], before_h), None, None, None, None


def _slopes(
    gates: Tensor, squashed: Tensor, highway: Tensor, before_c: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the derivatives inside a step, for all tokens at once.

    (all tokens, 6, hidden): of c by the pre-activations of g, i, f and of h by those of o, t and by
    k; (all tokens, hidden): of h by c, and of c by the c before it.
    """
    g, i, f, o, t, k = gates.chunk(6, dim=1)
    slopes = gates.new_empty(len(gates), 6, g.shape[1])
    by_tanh(i, g, out=slopes[:, 0])
    by_sigmoid(g, i, out=slopes[:, 1])
    by_sigmoid(before_c, f, out=slopes[:, 2])
    by_sigmoid(t * squashed, o, out=slopes[:, 3])
    by_sigmoid(highway - k, t, out=slopes[:, 4])
    slopes[:, 5] = 1 - t
    return slopes, by_tanh(t * o, squashed), f
