"""The biLSTM: the same function and the same gradient as torch's, for any lengths."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_core.products import path
from tasks.nn.recurrent.bilstm import BiLSTM


def reference(lstm: BiLSTM, x: Tensor, mask: Tensor) -> Tensor:
    packed = pack_padded_sequence(x, mask.sum(1), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm.rnn(packed)[0], True, total_length=x.shape[1])[0]


def compared(
    lstm: BiLSTM, lengths: list[int], dtype: torch.dtype
) -> tuple[list[Tensor], list[Tensor]]:
    """Values and gradients, ours and torch's."""
    lstm = lstm.to(dtype)
    x = torch.randn(len(lengths), max(lengths) + 1, lstm.rnn.input_size, dtype=dtype)
    mask = torch.arange(x.shape[1]) < torch.tensor(lengths).unsqueeze(1)
    slopes = torch.randn(*x.shape[:2], lstm.output_dim, dtype=dtype)
    wanted = [x.requires_grad_(), *lstm.parameters()]
    outputs = [lstm(x, mask.sum(1)), reference(lstm, x, mask)]
    assert (outputs[0][~mask] == 0).all()
    ours, theirs = ([o, *torch.autograd.grad((o * slopes).sum(), wanted)] for o in outputs)
    return ours, theirs


@pytest.mark.parametrize("lengths", [[3, 6, 1, 4], [5, 5], [1]])
def test_equals_torch(lengths: list[int]) -> None:
    torch.manual_seed(0)
    lstm = BiLSTM(7, 5)
    for parameter in lstm.parameters():  # biases, too
        torch.nn.init.normal_(parameter)
    torch.testing.assert_close(*compared(lstm, lengths, torch.double))


@pytest.mark.parametrize("library", path.PATHS)
def test_equals_torch_with_any_library(library: str) -> None:
    """Large enough for oneDNN's products, in both directions and in the last step, too."""
    if library == "onednn" and not path.has_onednn():
        pytest.skip("this PyTorch has no oneDNN")
    torch.manual_seed(0)
    with path.using(library):
        ours, theirs = compared(BiLSTM(64, 128), [9, 5, 9, 7] * 16, torch.float32)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-3)


def test_gradients_by_finite_differences() -> None:
    lstm = BiLSTM(3, 2).double()
    lengths = torch.tensor([2, 4, 1])
    names, values = zip(*lstm.named_parameters(), strict=True)

    def call(x: Tensor, *values: Tensor) -> Tensor:
        parameters = dict(zip(names, values, strict=True))
        return torch.func.functional_call(lstm, parameters, (x, lengths))

    x = torch.randn(3, 4, 3, dtype=torch.double, requires_grad=True)
    assert gradcheck(call, (x, *values), fast_mode=True)


def test_it_starts_with_open_forget_gates_and_orthogonal_recurrence() -> None:
    layer = BiLSTM(4, 3).rnn
    for direction in ("", "_reverse"):
        bias = getattr(layer, f"bias_ih_l0{direction}") + getattr(layer, f"bias_hh_l0{direction}")
        assert bias.tolist() == [0.0] * 3 + [1.0] * 3 + [0.0] * 6
        for gate in getattr(layer, f"weight_hh_l0{direction}").chunk(4):
            assert torch.allclose(gate @ gate.T, torch.eye(3), atol=1e-5)


def test_parameters_are_those_of_torch() -> None:
    """So that a checkpoint that was written with torch's own LSTM is still read."""
    theirs = torch.nn.LSTM(7, 5, bidirectional=True).state_dict()
    ours = BiLSTM(7, 5).state_dict()
    assert {name: value.shape for name, value in ours.items()} == {
        f"rnn.{name}": value.shape for name, value in theirs.items()
    }
