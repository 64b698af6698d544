"""Learned products: values and gradients are PyTorch's own, whichever library computes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from elmo_core.products import Linear, linear, outer, path, times
from elmo_core.products import learned as learned_products

ROWS, IN, OUT = 75, 120, 130  # not among the sizes that rows are rounded up to; enough for oneDNN

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture(params=path.PATHS)
def library(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "onednn" and not path.has_onednn():
        pytest.skip("this PyTorch has no oneDNN")
    with path.using(request.param):
        yield


def gradients(
    function: Callable[..., Tensor], x: Tensor, weight: Tensor, bias: Tensor | None
) -> list[Tensor]:
    output = function(x, weight, bias)
    wanted = [tensor for tensor in (x, weight, bias) if tensor is not None]
    slope = torch.linspace(-1, 1, output.numel()).view_as(output).to(output.dtype)
    return [output.detach(), *torch.autograd.grad((output * slope).sum(), wanted)]


def learned(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


def turned(*shape: int) -> Tensor:
    return learned(*shape[::-1]).permute(*reversed(range(len(shape))))


@pytest.mark.parametrize(
    ("x", "weight"),
    [
        (learned(ROWS, IN), learned(OUT, IN)),
        (learned(5, 15, IN), learned(OUT, IN)),
        (turned(ROWS, IN), learned(OUT, IN)),
        (turned(5, 15, IN), turned(OUT, IN)),
        (learned(ROWS, 2 * IN)[:, IN:], learned(2 * OUT, IN)[::2]),
        (learned(0, IN), learned(OUT, IN)),
        (learned(3, IN), learned(2, IN)),
        (learned(2 * ROWS, IN, dtype=torch.double), learned(OUT, IN, dtype=torch.double)),
        (learned(ROWS, IN, dtype=torch.bfloat16), learned(OUT, IN, dtype=torch.bfloat16)),
    ],
    ids=["rows", "batch", "turned", "both", "strided", "empty", "small", "double", "bfloat16"],
)
@pytest.mark.parametrize("biased", [True, False])
def test_values_and_gradients_are_those_of_torch(x: Tensor, weight: Tensor, biased: bool) -> None:
    bias = torch.ones(len(weight), dtype=x.dtype, requires_grad=True) if biased else None
    ours, theirs = gradients(linear, x, weight, bias), gradients(F.linear, x, weight, bias)
    for one, other in zip(ours, theirs, strict=True):
        assert one.shape == other.shape
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-4)


def test_a_weight_used_twice_gets_both_gradients() -> None:
    weight = learned(IN, IN)
    x = torch.randn(ROWS, IN)

    def twice(function: Callable[..., Tensor]) -> Tensor:
        return torch.autograd.grad(function(function(x, weight), weight).square().mean(), weight)[0]

    torch.testing.assert_close(twice(linear), twice(F.linear), rtol=1e-5, atol=1e-5)


def test_a_gradient_without_strides_of_its_own() -> None:
    """A sum's gradient is one number, expanded."""
    x, weight = learned(64, IN), learned(256, IN)  # nothing to round up
    found = torch.autograd.grad(linear(x, weight).sum(), [x, weight])
    expected = torch.autograd.grad(F.linear(x, weight).sum(), [x, weight])
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-4)


def test_only_what_is_learned_gets_a_gradient() -> None:
    x, weight = torch.randn(ROWS, IN), learned(OUT, IN)
    linear(x, weight).sum().backward()
    assert x.grad is None
    assert not linear(x, weight.detach()).requires_grad


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_without_gradient(mode: Callable[[], AbstractContextManager[Any]]) -> None:
    layer = Linear(IN, OUT)
    with mode():
        output = layer(torch.randn(ROWS, IN))
    assert not output.requires_grad
    assert output.shape == (ROWS, OUT)


def test_autocast_decides_the_precision() -> None:
    layer, x = Linear(IN, OUT), torch.randn(ROWS, IN)
    with torch.autocast("cpu", torch.bfloat16):
        output = layer(x)
        assert output.dtype == torch.bfloat16
        assert torch.equal(output, F.linear(x, layer.weight, layer.bias))


def test_gradients_under_autocast_are_those_of_torch() -> None:
    layer, x = Linear(IN, OUT), torch.randn(5, 15, IN, requires_grad=True)

    def under_autocast(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        return torch.autocast("cpu", torch.bfloat16)(function)

    ours = gradients(under_autocast(linear), x, layer.weight, layer.bias)
    theirs = gradients(under_autocast(F.linear), x, layer.weight, layer.bias)
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-2)


class Shapes(TorchDispatchMode):
    """Notes the shapes of matrix products, forwards and backwards."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[tuple[object, ...]] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default):
            self.seen.add((func, *(a.shape for a in args)))
        return func(*args, **(kwargs or {}))


def test_in_bfloat16_few_shapes_meet_onednn() -> None:
    """It makes code for each, in tens of milliseconds where the processor multiplies in tiles."""
    layer = Linear(16, 24)
    with Shapes() as shapes:
        for rows in range(513, 1025):
            x = torch.randn(rows, 16, requires_grad=True)
            with torch.autocast("cpu", torch.bfloat16):
                output = layer(x)
            output.sum().backward()
    assert len(shapes.seen) == 3 * 16  # of the output and of both gradients


def test_a_product_is_onednn_s_by_its_multiplications(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = learned_products._onednn

    def noted(*given: Tensor) -> Tensor:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(learned_products, "_onednn", noted)
    wide, narrow = torch.randn(ROWS, 2000), torch.randn(ROWS, 10)
    for left, right in ((wide, narrow), (narrow, wide)):  # 1.5 million in both
        torch.testing.assert_close(outer(left, right), left.t() @ right, rtol=1e-5, atol=1e-4)
    assert len(calls) == (2 if path.chosen() == "onednn" else 0)


def test_no_rows_in_bfloat16() -> None:
    layer, x = Linear(IN, OUT), torch.randn(3, 0, IN, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        output = layer(x)
    output.sum().backward()
    assert output.shape == (3, 0, OUT)
    assert layer.weight.grad is not None
    assert not layer.weight.grad.any()


def test_no_device() -> None:
    with torch.device("meta"):
        assert Linear(2000, 2000)(torch.empty(7, 2000)).shape == (7, 2000)


@pytest.mark.parametrize("rows", [1, 33, ROWS, 640])
def test_products_without_gradient(rows: int) -> None:
    x, weight, other = torch.randn(rows, IN), torch.randn(600, IN), torch.randn(rows, 600)
    torch.testing.assert_close(times(x, weight), x @ weight.t(), rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(times(x, weight.t()[:, :IN].t()[:IN]), x @ weight[:IN].t())
    torch.testing.assert_close(outer(x, other), x.t() @ other, rtol=1e-5, atol=1e-4)


def test_the_layer_is_torch_s_but_for_its_forward() -> None:
    torch.manual_seed(0)
    ours = Linear(IN, OUT)
    torch.manual_seed(0)
    theirs = nn.Linear(IN, OUT)
    assert isinstance(ours, nn.Linear)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for name, value in theirs.state_dict().items():
        assert torch.equal(ours.state_dict()[name], value)


class Dense(TorchDispatchMode):
    """Sees that oneDNN is given whole matrices, or transposed ones, alone."""

    seen = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.mkldnn._linear_pointwise.default:
            self.seen += 1
            assert all(each.is_contiguous() or each.t().is_contiguous() for each in args[:2])
        return func(*args, **(kwargs or {}))


def test_columns_of_a_weight_are_copied() -> None:
    """oneDNN itself takes a hundred to a thousand times as long for a slice as for a matrix."""
    torch.manual_seed(0)
    x, part = torch.randn(64, 400), torch.randn(150, 1200)[:, 400:800]
    with path.using("onednn"), Dense() as dense:
        torch.testing.assert_close(times(x, part), x @ part.t(), rtol=1e-5, atol=1e-4)
        times(part, x)
    assert dense.seen == 2
