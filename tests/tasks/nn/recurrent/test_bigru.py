"""The biGRU: the same function and the same gradient as torch's, for any lengths."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tasks.nn.recurrent.bigru import STD, BiGRU


def reference(gru: BiGRU, x: Tensor, mask: Tensor) -> Tensor:
    packed = pack_padded_sequence(x, mask.sum(1), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(gru.rnn(packed)[0], True, total_length=x.shape[1])[0]


@pytest.mark.parametrize("lengths", [[3, 6, 1, 4], [5, 5], [1]])
def test_equals_torch(lengths: list[int]) -> None:
    torch.manual_seed(0)
    gru = BiGRU(7, 5).double()
    for parameter in gru.parameters():
        torch.nn.init.normal_(parameter)
    x = torch.randn(len(lengths), max(lengths) + 1, 7, dtype=torch.double, requires_grad=True)
    mask = torch.arange(x.shape[1]) < torch.tensor(lengths).unsqueeze(1)
    output, expected = gru(x, mask.sum(1)), reference(gru, x, mask)
    assert torch.allclose(output, expected, atol=1e-12)
    assert (output[~mask] == 0).all()
    weights, wanted = torch.randn_like(output), [x, *gru.parameters()]
    ours = torch.autograd.grad((output * weights).sum(), wanted)
    theirs = torch.autograd.grad((expected * weights).sum(), wanted)
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-12)


def test_starts_as_the_paper_s_code_does() -> None:
    for name, parameter in BiGRU(50, 90).named_parameters():
        if "bias" in name:
            assert (parameter == 0).all()
        else:
            assert parameter.abs().max() <= 2 * STD
            assert parameter.std().item() == pytest.approx(0.88 * STD, rel=0.05)
