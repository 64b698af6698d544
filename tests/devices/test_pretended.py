"""The pretended accelerator itself: what it refuses, and what it counts."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from tests.devices.pretended import Traffic

Accelerator = tuple[torch.device, Traffic]


def test_devices_do_not_mix(accelerator: Accelerator) -> None:
    device, _ = accelerator
    there = torch.ones(3, device=device)
    with pytest.raises(RuntimeError, match="beside the device's"):
        there + torch.ones(3)
    with pytest.raises(RuntimeError, match="a generator of the CPU"):
        torch.rand(3, device=device, generator=torch.Generator())
    with pytest.raises(TypeError, match="numpy"):
        there.numpy()
    assert (there + torch.tensor(1.0)).tolist() == [2.0, 2.0, 2.0]  # as on a GPU


def test_there_is_no_double_precision(accelerator: Accelerator) -> None:
    """As on Apple's GPUs, unless a test asks for what NVIDIA's have."""
    device, traffic = accelerator
    for asks in (
        lambda: torch.ones(3, device=device).double(),
        lambda: torch.ones(3, dtype=torch.float64).to(device),
        lambda: torch.zeros(3, dtype=torch.float64, device=device),
    ):
        with pytest.raises(TypeError, match="no float64"):
            asks()
        traffic.doubles = True
        assert asks().dtype == torch.float64
        traffic.doubles = False


def test_waits_are_counted(accelerator: Accelerator) -> None:
    device, traffic = accelerator
    x = torch.arange(4.0).to(device, non_blocking=True)
    x = (x * 2).masked_fill(x > 2, 0.0)
    assert not traffic.waits
    assert sum(traffic.copies.values()) == 1
    for waits in (
        lambda: x.sum().item(),
        lambda: x.tolist(),
        lambda: x[x > 1],
        lambda: x.nonzero(),
        lambda: x.cpu(),
        lambda: torch.tensor([1, 2], device=device),
        lambda: bool((x > 1).any()),
    ):
        traffic.restart()
        waits()
        assert sum(traffic.waits.values()) == 1, traffic.waits


def test_recurrent_networks_are_one_call(accelerator: Accelerator) -> None:
    device, traffic = accelerator
    torch.manual_seed(0)
    lstm, x = nn.LSTM(3, 4, bidirectional=True, batch_first=True), torch.randn(2, 5, 3)
    expected = lstm(pack_padded_sequence(x, torch.tensor([5, 3]), batch_first=True))[0].data
    expected.sum().backward()
    gradient = lstm.weight_hh_l0.grad
    lstm.zero_grad()
    lstm.to(device)
    packed = pack_padded_sequence(x.to(device), torch.tensor([5, 3]), batch_first=True)
    traffic.restart()
    output = lstm(packed)[0].data
    output.sum().backward()
    assert not traffic.waits
    torch.testing.assert_close(output.detach().cpu(), expected.detach())
    found = lstm.weight_hh_l0.grad
    assert found is not None
    torch.testing.assert_close(found.cpu(), gradient)
