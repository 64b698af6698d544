"""Placement: sizes, values and sharing at every place."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from elmo_core import PLACEMENTS, Placement

B, L, T, D, X, H = 2, 3, 4, 6, 5, 7


@pytest.fixture
def layers() -> torch.Tensor:
    return torch.randn(B, L, T, D, generator=torch.Generator().manual_seed(0))


MASK = torch.ones(B, T, dtype=torch.bool)


@pytest.mark.parametrize("where", PLACEMENTS)
def test_sizes_and_values(where: str, layers: torch.Tensor) -> None:
    placement = Placement(where, L, D, dropout=0.0)
    x, h = torch.randn(B, T, X), torch.randn(B, T, H)
    for place, given, size, method in (
        ("input", x, placement.input_dim(X), placement.input),
        ("output", h, placement.output_dim(H), placement.output),
    ):
        got = method(given, layers, MASK)
        here = place in where.split("+")
        assert got.shape == (B, T, size)
        assert size == given.shape[-1] + (D if here else 0)
        assert torch.equal(got[..., : given.shape[-1]], given)
        if here:
            torch.testing.assert_close(got[..., given.shape[-1] :], layers.mean(dim=1))


@pytest.mark.parametrize("where", PLACEMENTS)
def test_only_the_places_that_exist_are_summed_up(where: str) -> None:
    placement = Placement(where, L, D)
    places = [] if where == "none" else where.split("+")
    assert placement.active == bool(places)
    assert list(placement.summary()) == places
    for entry in placement.summary().values():
        assert entry == {"weights": pytest.approx([1 / 3] * 3), "gamma": 1.0}


def test_none_needs_no_layers_and_learns_nothing() -> None:
    placement = Placement("none", 0, 0)
    x = torch.randn(B, T, X)
    assert placement.input(x, None, MASK) is x
    assert placement.output(x, None, MASK) is x
    assert list(placement.parameters()) == []
    assert placement.penalty().item() == 0.0


def mix_at(placement: Placement, place: str) -> Any:
    return placement.mixes[place]


def test_each_place_has_weights_of_its_own(layers: torch.Tensor) -> None:
    placement = Placement("input+output", L, D, dropout=0.0, l2=0.5)
    with torch.no_grad():
        mix_at(placement, "input").w[0] = 2.0
        mix_at(placement, "output").w[1] = 4.0
    assert placement.penalty().item() == pytest.approx(0.5 * (4 + 16))
    placement.input(torch.zeros(B, T, X), layers, MASK).square().sum().backward()
    assert mix_at(placement, "input").w.grad is not None
    assert mix_at(placement, "output").w.grad is None


def test_both_sides_of_a_pair_share_the_mix(layers: torch.Tensor) -> None:
    placement = Placement("input", L, D, dropout=0.0)
    x = torch.zeros(B, T, X)
    (placement.input(x, layers, MASK) + placement.input(x, 2 * layers, MASK)).sum().backward()
    torch.testing.assert_close(mix_at(placement, "input").gamma.grad, 3 * layers.mean(dim=1).sum())


def test_the_settings_reach_every_mix() -> None:
    placement = Placement("input+output", L, D, choice="top", layer_norm=True, dropout=0.1, l2=2)
    for mix in (mix_at(placement, "input"), mix_at(placement, "output")):
        assert (mix.choice, mix.layer_norm, mix.dropout.p, mix.l2) == (2, True, 0.1, 2)
    mix = mix_at(Placement("input", L, D), "input")
    assert (mix.choice, mix.layer_norm, mix.dropout.p, mix.l2) == ("all", False, 0.5, 0)


def test_the_precision_of_the_head_is_kept(layers: torch.Tensor) -> None:
    x = torch.zeros(B, T, X, dtype=torch.bfloat16)
    assert Placement("input", L, D).input(x, layers.half(), MASK).dtype == torch.bfloat16


def test_an_unknown_place_and_missing_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'input'"):
        Placement("inputs", L, D)
    with pytest.raises(ValueError, match="needs the encoder's layers"):
        Placement("input", L, D).input(torch.zeros(B, T, X), None, MASK)
