"""A window of a projected LSTM as one step of differentiation, its gradient written by hand.

The same numbers as `ProjectedLSTM`, twice as fast: the gradients of the weights are three products
over the whole window instead of one small product and one sum for each step of it, and clipping is
exact because every step is still taken on its own. (One call of `torch.nn.LSTM`, good as long as
no clip acts, would have nothing to do: after 40 steps of training elmo-mini, one memory cell in ten
is at its bound, in every window.)
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.products import linear, outer, times
from elmo_core.slopes import by_sigmoid, by_tanh


def unroll(
    lstm: ProjectedLSTM, inputs: Tensor, hidden: Tensor, cell: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A layer over `inputs` (steps, batch, D), from `hidden` (batch, D) and `cell` (batch, H).

    Returns the outputs (steps, batch, D), and hidden and cell after the last step. No gradient
    goes to the state, on the way in or out: back-propagation ends at the window's edges.
    Products are in autocast's precision where it is on, and the bias is added within them, as by
    torch's linear layers; the recurrent sums, gates and cells are not.
    """
    device = inputs.device.type
    precision = inputs.dtype
    if torch.is_autocast_enabled(device):
        precision = torch.get_autocast_dtype(device)
    weights = lstm.input_weight, lstm.recurrent_weight, lstm.bias, lstm.projection
    bounds = lstm.cell_clip or math.inf, lstm.proj_clip or math.inf
    with torch.autocast(device, enabled=False):
        return _Window.apply(inputs, hidden, cell, *weights, bounds, precision)


class _Window(torch.autograd.Function):
    """Gates in the order i, j (candidate), f, o; see `ProjectedLSTM` for the equations."""

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        hidden: Tensor,
        cell: Tensor,
        input_weight: Tensor,
        recurrent_weight: Tensor,
        bias: Tensor,
        projection: Tensor,
        bounds: tuple[float, float],
        precision: torch.dtype,
    ) -> tuple[Tensor, Tensor, Tensor]:
        steps, batch, _ = inputs.shape
        size = cell.shape[-1]
        cell_bound, hidden_bound = bounds
        inputs, input_weight, recurrent_weight, projection = (
            x.to(precision) for x in (inputs, input_weight, recurrent_weight, projection)
        )
        bias = bias.clone()
        bias[2 * size : 3 * size] += 1  # the forget gate's
        sums = linear(inputs, input_weight, bias.to(precision))
        gates = cell.new_empty(steps, batch, 4 * size)
        cells = cell.new_empty(steps + 1, batch, size)
        squashed = cell.new_empty(steps, batch, size)
        hiddens = inputs.new_empty(steps + 1, batch, hidden.shape[-1])
        cells[0], hiddens[0] = cell, hidden
        for t in range(steps):
            gate, now, tanh = gates[t], cells[t + 1], squashed[t]
            gate.copy_(sums[t]).add_(times(hiddens[t], recurrent_weight))
            i, j, f, o = gate.split(size, dim=-1)
            i.sigmoid_()
            gate[:, 2 * size :].sigmoid_()
            _tanh(j, out=j)
            torch.mul(i, j, out=now)
            now.addcmul_(f, cells[t]).clamp_(-cell_bound, cell_bound)
            _tanh(now, out=tanh)
            hiddens[t + 1] = times((o * tanh).to(precision), projection)
            hiddens[t + 1].clamp_(-hidden_bound, hidden_bound)
        ctx.bounds = bounds
        ctx.save_for_backward(
            inputs, input_weight, recurrent_weight, projection, gates, cells, squashed, hiddens
        )
        last = hiddens[-1].clone(), cells[-1].clone()
        ctx.mark_non_differentiable(*last)
        return hiddens[1:].clone(), *last

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_outputs: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
        inputs, input_weight, recurrent_weight, projection, *saved = ctx.saved_tensors
        gates, cells, squashed, hiddens = saved
        # What was clipped lies at the bound as its own precision has it.
        cell_bound, hidden_bound = (
            torch.tensor(bound, dtype=clipped.dtype).item()
            for bound, clipped in zip(ctx.bounds, (cells, hiddens), strict=True)
        )
        steps, _, size = squashed.shape
        d_sums = gates.new_empty(gates.shape[1:])
        d_all = inputs.new_empty(gates.shape)
        d_projected = torch.empty_like(d_outputs, dtype=inputs.dtype)
        d_bias = gates.new_zeros(4 * size)
        d_hidden: Tensor | float = 0.0
        d_cell = torch.zeros_like(cells[0])
        for t in reversed(range(steps)):
            i, j, f, o = gates[t].split(size, dim=-1)
            d_i, d_j, d_f, d_o = d_sums.split(size, dim=-1)
            tanh = squashed[t]
            d_projected[t] = _clip_backward(d_outputs[t] + d_hidden, hiddens[t + 1], hidden_bound)
            d_read = times(d_projected[t], projection.t()).to(d_cell)
            d_cell += by_tanh(d_read * o, tanh)
            d_cell = _clip_backward(d_cell, cells[t + 1], cell_bound)
            by_sigmoid(d_read * tanh, o, out=d_o)
            by_sigmoid(d_cell * j, i, out=d_i)
            by_tanh(d_cell * i, j, out=d_j)
            by_sigmoid(d_cell * cells[t], f, out=d_f)
            d_cell = d_cell * f
            d_all[t] = d_sums
            d_bias += d_sums.sum(dim=0)
            d_hidden = times(d_all[t], recurrent_weight.t())
        d_rows = d_all.flatten(0, 1)
        read = (gates[..., 3 * size :] * squashed).flatten(0, 1).to(inputs.dtype)
        return (
            times(d_rows, input_weight.t()).view_as(inputs).to(d_outputs),
            None,
            None,
            outer(d_rows, inputs.flatten(0, 1)).to(cells),
            outer(d_rows, hiddens[:-1].flatten(0, 1)).to(cells),
            d_bias,
            outer(d_projected.flatten(0, 1), read).to(cells),
            None,
            None,
        )


def _tanh(x: Tensor, out: Tensor) -> None:
    """Through the sigmoid: a third of the time of `torch.tanh` on a CPU."""
    torch.mul(x, 2, out=out)
    out.sigmoid_().mul_(2).sub_(1)


def _clip_backward(d_clipped: Tensor, clipped: Tensor, bound: float) -> Tensor:
    """Nothing flows to where a value is at its bound."""
    if bound == math.inf:
        return d_clipped
    return torch.ops.aten.hardtanh_backward(d_clipped, clipped.to(d_clipped), -bound, bound)
