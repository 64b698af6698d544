"""A window of an LSTM: its values are ProjectedLSTM's, its gradients those of plain autograd."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.pretraining.recurrence import unroll

STEPS, BATCH = 6, 4
Case = tuple[ProjectedLSTM, Tensor, Tensor, Tensor]  # inputs, hidden, cell


def plainly(
    lstm: ProjectedLSTM, inputs: Tensor, hidden: Tensor, cell: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    order = torch.arange(BATCH)
    packed = PackedSequence(inputs.flatten(0, 1), torch.full((STEPS,), BATCH), order, order)
    outputs, hidden, cell = lstm(packed, hidden, cell)
    return outputs.data.view_as(inputs), hidden, cell


@pytest.fixture(params=[None, 0.4], ids=["free", "clipped"])
def window(request: pytest.FixtureRequest, make_bilm: Callable[..., BiLM]) -> Case:
    torch.manual_seed(0)
    lstm = make_bilm(cell_clip=request.param, proj_clip=request.param).forward_lstm[0].double()
    assert isinstance(lstm, ProjectedLSTM)
    for weight in lstm.parameters():
        torch.nn.init.normal_(weight.requires_grad_(True), std=0.5)
    size, cells = lstm.projection.shape
    inputs = torch.randn(STEPS, BATCH, size, dtype=torch.float64, requires_grad=True)
    hidden, cell = (torch.randn(BATCH, n, dtype=torch.float64) for n in (size, cells))
    return lstm, inputs, hidden, cell


def test_values_and_gradients_are_exact_where_clips_act(window: Case) -> None:
    lstm, inputs, hidden, cell = window
    found = []
    for run in (plainly, unroll):
        outputs, *state = run(lstm, inputs, hidden, cell)
        loss = (outputs * torch.linspace(-1, 1, outputs.numel()).view_as(outputs)).sum()
        gradients = torch.autograd.grad(loss, [inputs, *lstm.parameters()])
        found.append([outputs, *state, *gradients])
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain)
    if lstm.cell_clip is not None and lstm.proj_clip is not None:
        outputs, _, memory = found[0][:3]
        assert outputs.abs().eq(lstm.proj_clip).any()
        assert memory.abs().eq(lstm.cell_clip).any()


def test_the_gradient_is_that_of_differences(window: Case) -> None:
    lstm, inputs, hidden, cell = window
    assert torch.autograd.gradcheck(lambda x: unroll(lstm, x, hidden, cell)[0], inputs)


def test_under_autocast_products_alone_are_in_half_precision(window: Case) -> None:
    lstm, inputs, hidden, cell = window
    exact, _, _ = unroll(lstm, inputs, hidden, cell)
    lstm.float()
    with torch.autocast("cpu", torch.bfloat16):
        outputs, _, memory = unroll(lstm, inputs.float(), hidden.float(), cell.float())
    assert outputs.dtype == torch.bfloat16
    assert memory.dtype == torch.float32
    torch.testing.assert_close(outputs.double(), exact, atol=0.05, rtol=0.05)


def test_no_gradient_passes_a_clip_that_half_precision_rounds_down(
    make_bilm: Callable[..., BiLM],
) -> None:
    torch.manual_seed(0)
    lstm = make_bilm(proj_clip=0.7).forward_lstm[0]
    assert isinstance(lstm, ProjectedLSTM)
    for weight in lstm.parameters():
        torch.nn.init.normal_(weight.requires_grad_(True), std=2)
    size, cells = lstm.projection.shape
    inputs = torch.randn(STEPS, BATCH, size, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        outputs, _, _ = unroll(lstm, inputs, torch.zeros(BATCH, size), torch.zeros(BATCH, cells))
    clipped = outputs[-1][outputs[-1].abs() == torch.tensor(0.7, dtype=torch.bfloat16)]
    assert len(clipped)
    assert not torch.autograd.grad(clipped.sum(), inputs)[0].any()


def test_no_gradient_goes_to_the_state(window: Case) -> None:
    lstm, inputs, hidden, cell = window
    _, after, memory = unroll(lstm, inputs, hidden.requires_grad_(True), cell)
    assert not after.requires_grad
    assert not memory.requires_grad
