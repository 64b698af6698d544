"""Dropout: how much is dropped, what remains of the mean, and what a seed decides."""

from __future__ import annotations

import pytest
import torch

from elmo_core.dropout import Dropout, dropout


@pytest.mark.parametrize("p", [0.1, 0.5, 0.75])
def test_so_many_are_dropped_and_the_mean_is_kept(p: float) -> None:
    torch.manual_seed(0)
    output = dropout(torch.ones(1000, 1001), p)
    zero = output == 0
    assert zero.float().mean().item() == pytest.approx(p, abs=2e-3)
    assert output.mean().item() == pytest.approx(1, abs=5e-3)
    torch.testing.assert_close(output[~zero], torch.full_like(output[~zero], 1 / (1 - p)))
    rows = zero.float().mean(1)  # independent: neither rows nor neighbours go together
    assert rows.std().item() == pytest.approx((p * (1 - p) / 1001) ** 0.5, rel=0.2)
    assert (zero[:, 1:] & zero[:, :-1]).float().mean().item() == pytest.approx(p * p, abs=2e-3)


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (0, 4)])
def test_any_shape(shape: tuple[int, ...]) -> None:
    assert dropout(torch.ones(shape), 0.5).shape == shape


def test_the_seed_decides() -> None:
    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return dropout(torch.ones(100), 0.5)

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))


def test_the_gradient_goes_where_the_values_go() -> None:
    x = torch.randn(50, requires_grad=True)
    output = dropout(x, 0.3)
    output.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad * x, output)


def test_extremes_and_evaluation() -> None:
    x = torch.randn(20)
    assert torch.equal(dropout(x, 0.0), x)
    assert not dropout(x, 1.0).any()
    layer = Dropout(0.5)
    assert (layer(x) == 0).any()
    assert torch.equal(layer.eval()(x), x)


def test_dtypes() -> None:
    assert dropout(torch.ones(10, dtype=torch.bfloat16), 0.5).dtype == torch.bfloat16
    assert dropout(torch.ones(10, dtype=torch.double), 0.5).dtype == torch.double
