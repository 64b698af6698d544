"""The highway LSTM against a slow reference, one example and one step at a time."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from tasks.nn.recurrent.highway_lstm import AlternatingLSTM, HighwayLSTM
from tasks.nn.recurrent.packed import previous

LENGTHS = torch.tensor([2, 5, 1, 5])


def slow(layer: HighwayLSTM, sentence: Tensor) -> Tensor:
    """(tokens, input) → (tokens, hidden), by the equations."""
    hidden = layer.hidden
    h = c = sentence.new_zeros(hidden)
    outputs = {}
    for t in sorted(range(len(sentence)), reverse=layer.reverse):
        from_x = layer.from_input @ sentence[t]
        g, i, f, o, r = (from_x[: 5 * hidden] + layer.from_state @ h + layer.bias).chunk(5)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        carried = (1 - r.sigmoid()) * from_x[5 * hidden :]
        h = r.sigmoid() * o.sigmoid() * c.tanh() + carried
        outputs[t] = h
    return torch.stack([outputs[t] for t in range(len(sentence))])


@pytest.fixture
def stack() -> AlternatingLSTM:
    torch.manual_seed(0)
    return AlternatingLSTM(input_dim=4, hidden=3, layers=3, dropout=0.0).double()


def inputs() -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(4, 5, 4, generator=generator, dtype=torch.double).requires_grad_()


def test_equals_the_slow_reference_with_its_gradients(stack: AlternatingLSTM) -> None:
    x = inputs()
    reference = []
    for sentence, length in zip(x, LENGTHS.tolist(), strict=True):
        h = sentence[:length]
        for layer in stack.layers:
            h = slow(layer, h)
        reference.append(torch.cat([h, h.new_zeros(5 - length, 3)]))
    expected, found = torch.stack(reference), stack(x, LENGTHS)
    torch.testing.assert_close(found, expected)

    weights = torch.randn_like(found)
    wanted = [x, *stack.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((found * weights).sum(), wanted),
        torch.autograd.grad((expected * weights).sum(), wanted),
    )


def walked(steps: list[int]) -> tuple[list[int], Tensor]:
    return steps, previous(torch.tensor(steps))


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_by_finite_differences(reverse: bool) -> None:
    layer = HighwayLSTM(2, 3, dropout=0.3, reverse=reverse).double()
    x = torch.randn(6, 2, dtype=torch.double, requires_grad=True)
    names, values = zip(*layer.named_parameters(), strict=True)

    def call(x: Tensor, *values: Tensor) -> Tensor:
        torch.manual_seed(0)  # the same features dropped in every call
        parameters = dict(zip(names, values, strict=True))
        return torch.func.functional_call(layer, parameters, (x, *walked([3, 2, 1])))

    assert gradcheck(call, (x, *values))


def test_layers_take_turns(stack: AlternatingLSTM) -> None:
    """An even layer knows what came before a token, an odd one what comes after."""
    for layer, knows in zip(stack.layers, ("past", "future", "past"), strict=True):
        x = torch.zeros(5, layer.from_input.shape[1], dtype=torch.double)
        changed = x.clone()
        changed[2] = 1.0
        moved = (layer(x, *walked([1] * 5)) != layer(changed, *walked([1] * 5))).any(dim=1).tolist()
        assert moved == [knows == "future"] * 2 + [True] + [knows == "past"] * 2


def test_the_company_does_not_matter(stack: AlternatingLSTM) -> None:
    x = inputs()
    alone = [stack(x[i : i + 1, :n], n.view(1))[0] for i, n in enumerate(LENGTHS)]
    together = stack(x, LENGTHS)
    for row, sentence, length in zip(together, alone, LENGTHS.tolist(), strict=True):
        torch.testing.assert_close(row[:length], sentence)
        assert not row[length:].any()


def test_dropout_is_the_same_at_every_step_and_differs_between_sequences() -> None:
    torch.manual_seed(0)
    layer = HighwayLSTM(4, 50, dropout=0.5, reverse=False)
    output = layer(torch.randn(12, 4), *walked([3, 3, 3, 3])).view(4, 3, 50)
    dropped = output == 0
    assert (dropped == dropped[0]).all()
    assert (dropped[0, 0] != dropped[0, 1]).any()
    assert dropped.float().mean().item() == pytest.approx(0.5, abs=0.15)
    layer.eval()
    assert (layer(torch.randn(12, 4), *walked([3, 3, 3, 3])) != 0).all()


def test_starts_orthogonal_with_open_forget_gates() -> None:
    layer = HighwayLSTM(7, 5, dropout=0.0, reverse=False)
    for block in (*layer.from_input.chunk(6), *layer.from_state.chunk(5)):
        torch.testing.assert_close(block @ block.t(), torch.eye(5), atol=1e-5, rtol=0)
    assert layer.bias.tolist() == [0.0] * 10 + [1.0] * 5 + [0.0] * 10
