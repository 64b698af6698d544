"""The LSTM with coupled gates against a slow reference, one sequence and one step at a time."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from tasks.nn.recurrent.coupled_lstm import CoupledBiLSTM

LENGTHS = torch.tensor([2, 5, 1, 5])
TOKENS = 6  # nothing in the last column


@pytest.fixture
def lstm() -> CoupledBiLSTM:
    torch.manual_seed(0)
    lstm = CoupledBiLSTM(4, 3, dropout=0.0).double()
    for parameter in lstm.parameters():  # biases and first states, too
        torch.nn.init.normal_(parameter, std=0.5)
    return lstm


def inputs() -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(4, TOKENS, 4, generator=generator, dtype=torch.double).requires_grad_()


def slow(lstm: CoupledBiLSTM, direction: int, sequence: Tensor) -> Tensor:
    """(tokens, input) → (tokens, hidden), by the equations."""
    of_x, of_h = lstm.from_input[direction], lstm.from_state[direction]
    h, c, bias = lstm.first_h[direction, 0], lstm.first_c[direction, 0], lstm.bias[direction, 0]
    outputs = {}
    for t in sorted(range(len(sequence)), reverse=bool(direction)):
        i, j, o = (of_x @ sequence[t] + of_h @ h + bias).chunk(3)
        c = (1 - i.sigmoid()) * c + i.sigmoid() * j.tanh()
        h = o.sigmoid() * c.tanh()
        outputs[t] = h
    return torch.stack([outputs[t] for t in range(len(sequence))])


def test_equals_the_slow_reference_with_its_gradients(lstm: CoupledBiLSTM) -> None:
    x = inputs()
    reference = []
    for sequence, length in zip(x, LENGTHS.tolist(), strict=True):
        h = torch.cat([slow(lstm, d, sequence[:length]) for d in (0, 1)], dim=1)
        reference.append(torch.cat([h, h.new_zeros(len(sequence) - length, 6)]))
    expected, found = torch.stack(reference), lstm(x, LENGTHS)
    torch.testing.assert_close(found, expected)

    weights = torch.randn_like(found)
    wanted = [x, *lstm.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((found * weights).sum(), wanted),
        torch.autograd.grad((expected * weights).sum(), wanted),
    )


def test_gradients_by_finite_differences(lstm: CoupledBiLSTM) -> None:
    lstm.p = 0.4
    names, values = zip(*lstm.named_parameters(), strict=True)

    def call(x: Tensor, *values: Tensor) -> Tensor:
        torch.manual_seed(0)  # the same features dropped in every call
        parameters = dict(zip(names, values, strict=True))
        return torch.func.functional_call(lstm, parameters, (x, LENGTHS))

    assert gradcheck(call, (inputs(), *values), fast_mode=True)


def test_the_state_is_dropped_in_training_alone_and_in_each_sequence_anew(
    lstm: CoupledBiLSTM,
) -> None:
    torch.manual_seed(0)
    x, lengths = inputs()[1:2].repeat(2, 1, 1), LENGTHS[1:2].repeat(2)
    plain = lstm(x, lengths)
    lstm.p = 0.5
    one, other = lstm(x, lengths)
    assert not torch.allclose(one, other)
    torch.testing.assert_close(lstm.eval()(x, lengths), plain)


def test_starts_orthonormal() -> None:
    """Each gate's part that reads the state before, however wide the input is."""
    for width in (4, 400):
        lstm = CoupledBiLSTM(width, 3, dropout=0.0)
        for gate in lstm.from_state.detach().flatten(0, 1).split(3):
            torch.testing.assert_close(gate @ gate.t(), torch.eye(3))
        bound = (6 / (width + 9)) ** 0.5
        assert 0.8 * bound < lstm.from_input.abs().max() <= bound
