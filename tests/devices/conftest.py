"""What the tests of devices share: the pretended one, and every task with a batch of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.devices.pretended import AVAILABLE, Traffic, pretended


@pytest.fixture
def accelerator() -> Iterator[tuple[torch.device, Traffic]]:
    """The pretended accelerator, and the traffic between it and the CPU."""
    if not AVAILABLE:
        pytest.skip("this torch cannot pretend a device (2.9 can)")
    with pretended() as device_and_traffic:
        yield device_and_traffic
