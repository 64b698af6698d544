"""Dropout: what it keeps, and what becomes of it."""

import pytest
import torch
from torch import nn

from elmo_core.dropout import Dropout


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_drops_so_many_and_scales_the_rest(p, dtype):
    torch.manual_seed(0)
    x = torch.ones(1001, 997, dtype=dtype, requires_grad=True)
    y = Dropout(p)(x)
    assert y.dtype == dtype
    (zero, kept) = y.detach().unique()
    assert zero == 0
    assert kept.item() == pytest.approx(1 / (1 - p), rel=1e-2 if dtype == torch.bfloat16 else 1e-4)
    share = (y == 0).float().mean().item()
    assert share == pytest.approx(p, abs=5 * (p * (1 - p) / x.numel()) ** 0.5 + 1 / 65536)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(gradient, y)


def test_elements_are_independent():
    """Of neighbours, also within one draw, both are kept as often as chance has it."""
    torch.manual_seed(0)
    kept = Dropout(0.5)(torch.ones(1 << 20)) > 0
    for apart in (1, 2, 3, 4, 5):
        both = (kept[apart:] & kept[:-apart]).float().mean().item()
        assert both == pytest.approx(0.25, abs=0.003)


def test_the_seed_decides():
    x, drop = torch.randn(3, 5, 7), Dropout(0.3)
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(drop(x))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_as_torch_has_it_elsewhere():
    x = torch.randn(4, 0, 2)
    assert Dropout(0.5)(x).shape == x.shape
    y = torch.randn(8)
    assert torch.equal(Dropout(0.5).eval()(y), y)
    assert torch.equal(Dropout(0.0)(y), y)
    assert torch.equal(Dropout(1.0)(y), torch.zeros(8))
    with pytest.raises(ValueError, match="between 0 and 1"):
        Dropout(1.5)
    assert isinstance(Dropout(0.5), nn.Dropout)
