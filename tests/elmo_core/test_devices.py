"""What is waited for, and whose random numbers are given back. No GPU is needed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

import pytest
import torch

from elmo_core.devices import random_state_kept, sent


class OnGPU:
    """A tensor of a GPU, as far as `sent` looks at it; sent, it says whether that waits."""

    device = torch.device("cuda", 0)

    def to(self, device: torch.device, non_blocking: bool) -> bool:
        return not non_blocking


@pytest.mark.parametrize(("there", "waits"), [("cpu", True), ("mps", True), ("cuda", False)])
def test_a_copy_that_is_read_at_once_is_waited_for(there: str, waits: bool) -> None:
    tensor: Any = OnGPU()
    assert sent(tensor, torch.device(there)) is waits


def test_the_gpus_generators_are_given_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[list[int]] = []

    def fork_rng(devices: Iterable[int]) -> Any:
        kept.append([*devices])
        return nullcontext()

    monkeypatch.setattr("torch.random.fork_rng", fork_rng)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    for begun in (False, True):
        monkeypatch.setattr("torch.cuda.is_initialized", lambda begun=begun: begun)
        random_state_kept()
    assert kept == [[], [0, 1]]
