"""Every head on a GPU: the CPU's loss and gradients, in any precision, and the same bits twice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
import torch
from omegaconf import DictConfig

import tasks
from bench.run.module import BenchModule
from elmo_core.precision import exact_float32
from tests.devices.heads import Head, heads, moved, step

names = pytest.mark.parametrize("name", tasks.names())


@pytest.fixture(scope="module")
def head(configured: Callable[..., DictConfig]) -> Callable[[str], Head]:
    return heads(configured)


def stepped(it: Head, device: torch.device) -> tuple[torch.Tensor | None, BenchModule]:
    """Take a step without dropout; of a question's answers the first one counts."""
    module = it.module(dropout=False).to(device)
    batch = it.batch()
    for end in ("first", "last"):
        if end in batch["tensors"]:
            batch["tensors"][end] = batch["tensors"][end][:, :1]
    torch.manual_seed(1)
    return step(module, moved(batch, module)), module


@names
def test_loss_and_gradients(name: str, head: Callable[[str], Head], gpu: torch.device) -> None:
    with exact_float32(gpu):
        ours, on_gpu = stepped(head(name), gpu)
    theirs, on_cpu = stepped(head(name), torch.device("cpu"))
    if ours is None or theirs is None:
        learned = [list(module.model.buffers()) for module in (on_gpu, on_cpu)]
    else:
        torch.testing.assert_close(ours.detach().cpu(), theirs.detach(), rtol=1e-4, atol=1e-4)
        learned = [
            [p.grad for p in module.parameters() if p.grad is not None]
            for module in (on_gpu, on_cpu)
        ]
    assert learned[1]
    for mine, other in zip(*learned, strict=True):
        scale = max(float(other.float().abs().max()), 1e-3)
        torch.testing.assert_close(mine.cpu(), other, rtol=1e-3, atol=1e-3 * scale)


@names
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bf16", "fp16"])
def test_half_precision(
    name: str, dtype: torch.dtype, head: Callable[[str], Head], gpu: torch.device
) -> None:
    exact, _ = stepped(head(name), gpu)
    with torch.autocast(gpu.type, dtype):
        half, module = stepped(head(name), gpu)
    if exact is not None and half is not None:
        assert float(half.detach()) == pytest.approx(float(exact.detach()), rel=0.1)
        assert all(p.grad.isfinite().all() for p in module.parameters() if p.grad is not None)


@pytest.fixture
def deterministic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As `trainer.deterministic=true` has it."""
    monkeypatch.setitem(os.environ, "CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@names
def test_the_same_bits_twice(
    name: str, head: Callable[[str], Head], gpu: torch.device, deterministic: None
) -> None:
    """No operator of any head is without a deterministic way."""
    (first, one), (second, other) = (stepped(head(name), gpu) for _ in range(2))
    if first is not None and second is not None:
        assert torch.equal(first, second)
    for mine, again in zip(one.parameters(), other.parameters(), strict=True):
        if mine.grad is not None and again.grad is not None:
            assert torch.equal(mine.grad, again.grad)
