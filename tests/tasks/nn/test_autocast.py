"""Hand-written gradients in mixed precision: coarser products, the same result to their digits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tasks.nn.pair_products import pair_products
from tasks.nn.recurrent.bigru import BiGRU
from tasks.nn.recurrent.bilstm import BiLSTM
from tasks.nn.recurrent.coupled_lstm import CoupledBiLSTM
from tasks.nn.recurrent.highway_lstm import AlternatingLSTM

LENGTHS = torch.tensor([2, 5, 1, 6])


class Pairs(nn.Linear):
    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        real = x[torch.arange(x.shape[1]) < lengths[:, None]]
        return pair_products(real, real, self.weight)


@pytest.mark.parametrize(
    "made",
    [
        lambda: AlternatingLSTM(32, 16, layers=2, dropout=0.0),
        lambda: BiGRU(32, 16),
        lambda: BiLSTM(32, 16),
        lambda: CoupledBiLSTM(32, 16, dropout=0.0),
        lambda: Pairs(32, 5, bias=False),
    ],
    ids=["highway", "gru", "lstm", "coupled", "pairs"],
)
def test_bfloat16_products(made: Callable[[], nn.Module]) -> None:
    layer = made()
    x = torch.randn(4, 6, 32, requires_grad=True)
    wanted = [x, *layer.parameters()]

    def result() -> list[Tensor]:
        output = layer(x, LENGTHS).float()
        weights = torch.linspace(-1, 1, output.numel()).view_as(output)
        return [output.detach(), *torch.autograd.grad((output * weights).sum(), wanted)]

    exact = result()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = result()
    for one, other in zip(mixed, exact, strict=True):
        assert one.dtype == torch.float32
        assert not torch.equal(one, other)
        assert (one - other).norm() < 0.02 * other.norm()
