"""ScalarMix: closed forms, gradients, company."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_core import ScalarMix
from elmo_core.bilm.bilm import BiLM
from elmo_core.encoders.elmo import ElmoEncoder

B, L, T, D = 2, 3, 4, 5


@pytest.fixture
def layers() -> torch.Tensor:
    return torch.randn(B, L, T, D, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def mask() -> torch.Tensor:
    return torch.tensor([[True] * 4, [True, True, False, False]])


def mix_of(*args: Any, **kwargs: Any) -> Any:
    return ScalarMix(L, D, *args, **kwargs).eval()


def test_it_starts_as_the_plain_average(layers: torch.Tensor, mask: torch.Tensor) -> None:
    mix = mix_of()
    expected = layers.mean(dim=1) * mask.unsqueeze(-1)
    torch.testing.assert_close(mix(layers, mask), expected)
    torch.testing.assert_close(mix.weights(), torch.full((L,), 1 / 3))
    assert mix.gamma.item() == 1.0


def test_closed_form(layers: torch.Tensor, mask: torch.Tensor) -> None:
    mix = mix_of()
    w, gamma = [0.5, -1.0, 2.0], 1.7
    with torch.no_grad():
        mix.w.copy_(torch.tensor(w))
        mix.gamma.fill_(gamma)
    total = sum(map(math.exp, w))
    expected = gamma * sum(math.exp(w[j]) / total * layers[:, j] for j in range(L))
    torch.testing.assert_close(mix(layers, mask), expected * mask.unsqueeze(-1))


def test_closed_form_of_the_gradient(layers: torch.Tensor, mask: torch.Tensor) -> None:
    """With s = softmax(w), y = Σ s_j h_j and G = ∂loss/∂out:

    ∂loss/∂γ = Σ G·y and ∂loss/∂w_j = γ s_j Σ G·(h_j − y); λ Σ w² adds 2λ w_j.
    """
    mix = mix_of(l2=0.1)
    with torch.no_grad():
        mix.w.copy_(torch.tensor([0.5, -1.0, 2.0]))
        mix.gamma.fill_(1.7)
    upstream = torch.randn(B, T, D, generator=torch.Generator().manual_seed(1))
    ((mix(layers, mask) * upstream).sum() + mix.penalty()).backward()

    shares = mix.weights().detach()
    upstream = upstream * mask.unsqueeze(-1)
    average = (shares.view(1, L, 1, 1) * layers).sum(dim=1)
    torch.testing.assert_close(mix.gamma.grad, (upstream * average).sum())
    difference = (upstream.unsqueeze(1) * (layers - average.unsqueeze(1))).sum(dim=(0, 2, 3))
    w = mix.w.detach()
    torch.testing.assert_close(mix.w.grad, 1.7 * shares * difference + 2 * 0.1 * w)


@pytest.mark.parametrize("layer_norm", [False, True])
def test_gradient_by_finite_differences(
    layers: torch.Tensor, mask: torch.Tensor, layer_norm: bool
) -> None:
    mix = mix_of(layer_norm=layer_norm, l2=0.01).double()
    layers = layers.double()

    def loss(w: torch.Tensor, gamma: torch.Tensor) -> torch.Tensor:
        parameters = {"w": w, "gamma": gamma}
        return torch.func.functional_call(mix, parameters, (layers, mask)).square().sum()

    w = torch.tensor([0.3, -0.2, 0.1], dtype=torch.float64, requires_grad=True)
    gamma = torch.tensor(1.2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(loss, (w, gamma))


@pytest.mark.parametrize(
    ("choice", "index", "shares"),
    [("top", 2, [0, 0, 1]), (0, 0, [1, 0, 0]), ("1", 1, [0, 1, 0]), (2, 2, [0, 0, 1])],
)
def test_a_single_layer_keeps_gamma_and_has_no_w(
    layers: torch.Tensor, mask: torch.Tensor, choice: str | int, index: int, shares: list[int]
) -> None:
    mix = mix_of(choice, l2=1.0)
    with torch.no_grad():
        mix.gamma.fill_(0.5)
    torch.testing.assert_close(mix(layers, mask), 0.5 * layers[:, index] * mask.unsqueeze(-1))
    assert mix.weights().tolist() == shares
    assert [name for name, _ in mix.named_parameters()] == ["gamma"]
    assert mix.penalty().item() == 0.0


def test_the_mean_keeps_gamma_and_has_no_w(layers: torch.Tensor, mask: torch.Tensor) -> None:
    mix = mix_of("mean", l2=1.0)
    torch.testing.assert_close(mix(layers, mask), layers.mean(dim=1) * mask.unsqueeze(-1))
    of_two = ScalarMix(2, D, "mean").eval()(layers[:, :2], mask)
    torch.testing.assert_close(of_two, layers[:, :2].mean(dim=1) * mask.unsqueeze(-1))
    assert [name for name, _ in mix.named_parameters()] == ["gamma"]
    assert mix.penalty().item() == 0.0


def test_the_penalty_is_on_the_raw_w_without_a_half() -> None:
    mix = mix_of(l2=0.1)
    with torch.no_grad():
        mix.w.copy_(torch.tensor([1.0, 2.0, 3.0]))
        mix.gamma.fill_(100.0)
    assert mix.penalty().item() == pytest.approx(0.1 * 14)


def test_layer_norm_in_closed_form(layers: torch.Tensor, mask: torch.Tensor) -> None:
    out = mix_of(1, layer_norm=True)(layers, mask)
    for row, length in enumerate([4, 2]):
        h = layers[row, 1, :length].double()
        expected = (h - h.mean()) / (h.var(unbiased=False) + 1e-12).sqrt()
        torch.testing.assert_close(out[row, :length], expected.float(), atol=1e-5, rtol=0)


def test_layer_norm_does_not_depend_on_company_or_padding(
    layers: torch.Tensor, mask: torch.Tensor
) -> None:
    mix = mix_of(layer_norm=True)
    together = mix(layers, mask)
    noisy = layers.clone()
    noisy[1, :, 2:] = 1e6
    noisy[0] *= 50
    torch.testing.assert_close(mix(noisy, mask)[1], together[1])
    torch.testing.assert_close(mix(layers[1:, :, :2], mask[1:, :2])[0], together[1, :2])


def test_padding_comes_out_as_zeros(layers: torch.Tensor, mask: torch.Tensor) -> None:
    layers[1, :, 2:] = float("nan")
    assert (mix_of()(layers, mask)[1, 2:] == 0).all()


def test_layer_norm_of_a_mix_in_half_precision() -> None:
    """A sentence has more numbers than float16 can count."""
    layers = torch.randn(1, 2, 100, 1024, generator=torch.Generator().manual_seed(0))
    mask = torch.ones(1, 100, dtype=torch.bool)
    mix = ScalarMix(2, 1024, layer_norm=True).eval()
    expected = mix(layers, mask)
    for dtype in (torch.float16, torch.bfloat16):
        found = mix.to(dtype)(layers.to(dtype), mask)
        assert found.dtype == dtype
        torch.testing.assert_close(found.float(), expected, atol=0.03, rtol=0.03)


def test_a_row_of_padding_alone_leaves_gradients_numbers(layers: torch.Tensor) -> None:
    mix = mix_of(layer_norm=True)
    mask = torch.tensor([[True] * 4, [False] * 4])
    out = mix(layers, mask)
    assert (out[1] == 0).all()
    out.square().sum().backward()
    assert mix.w.grad.isfinite().all()
    assert mix.gamma.grad.isfinite()


def test_half_precision_layers_are_widened(layers: torch.Tensor, mask: torch.Tensor) -> None:
    for dtype in (torch.float16, torch.bfloat16):
        narrow = layers.to(dtype)
        out = mix_of()(narrow, mask)
        assert out.dtype == torch.float32
        torch.testing.assert_close(out, mix_of()(narrow.float(), mask))


def test_dropout_is_element_wise_after_the_mix_and_off_in_evaluation(layers: torch.Tensor) -> None:
    mix = ScalarMix(L, D, dropout=0.5)
    layers, mask = torch.ones(50, L, 40, D), torch.ones(50, 40, dtype=torch.bool)
    torch.manual_seed(0)
    out = mix(layers, mask)
    assert set(out.unique().tolist()) == {0.0, 2.0}
    assert (out == 0).float().mean().item() == pytest.approx(0.5, abs=0.03)
    assert (mix.eval()(layers, mask) == 1).all()


def test_gradients_reach_the_mix_and_never_the_biLM(make_bilm: Callable[..., BiLM]) -> None:
    encoder = ElmoEncoder(make_bilm(), "tiny")
    layers = encoder.encode([["a", "b", "c"]])[0].unsqueeze(0)
    mix: Any = ScalarMix(encoder.layers, encoder.dim, dropout=0.0)
    mix(layers, torch.ones(1, 3, dtype=torch.bool)).square().sum().backward()
    assert mix.gamma.grad != 0
    assert (mix.w.grad != 0).all()
    assert all(parameter.grad is None for parameter in encoder.bilm.parameters())


@pytest.mark.parametrize("choice", ["3", 3, -1, "best", "", "²"])
def test_unknown_layers(choice: str | int) -> None:
    with pytest.raises(ValueError, match="layer"):
        mix_of(choice)


def test_wrong_sizes_name_both_shapes(mask: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"\(batch, 3, tokens, 5\), got \(2, 2, 4, 5\)"):
        mix_of()(torch.zeros(B, 2, T, D), mask)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            torch.ones(B, T + 1, dtype=torch.bool),
            r"take a mask of shape \(2, 4\), .* got \(2, 5\), bool",
        ),
        (torch.ones(B, T), r"got \(2, 4\), float32"),
        (torch.ones(T, dtype=torch.bool), r"got \(4\,\), bool"),
        ([[True] * T] * B, "got a list"),
    ],
)
def test_a_wrong_mask_is_named(layers: torch.Tensor, given: Any, found: str) -> None:
    with pytest.raises(ValueError, match=found):
        mix_of()(layers, given)


def test_layers_that_were_not_put_together_are_told_how(mask: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"got a list; elmo_core\.pad makes them"):
        mix_of()([torch.zeros(L, T, D)], mask)


def test_a_negative_penalty_is_refused() -> None:
    with pytest.raises(ValueError, match="λ"):
        mix_of(l2=-1.0)
