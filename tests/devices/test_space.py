"""The space of cosines on a pretended accelerator, which has double precision or has not."""

from __future__ import annotations

import pytest
import torch

from tasks.nn.space import Space
from tests.devices.pretended import Traffic


@pytest.mark.parametrize("doubles", [False, True])
@pytest.mark.parametrize("kind", ["raw", "centred", "whitened"])
def test_the_space_is_that_of_the_cpu(
    kind: str, doubles: bool, accelerator: tuple[torch.device, Traffic]
) -> None:
    device, traffic = accelerator
    traffic.doubles = doubles
    torch.manual_seed(0)
    shown, counts = torch.randn(40, 5) @ torch.randn(5, 5) + 3, torch.arange(1, 41)
    host, there = Space(kind, 5), Space(kind, 5).to(device)
    for part in shown.split(7):
        host.add(part)
        there.add(part.to(device))
    found = there(shown.to(device), counts.to(device))
    assert found.device == device
    torch.testing.assert_close(found.cpu(), host(shown, counts))
    again = Space(kind, 5)
    again.load_state_dict({key: value.cpu() for key, value in there.state_dict().items()})
    torch.testing.assert_close(again(shown), host(shown))
