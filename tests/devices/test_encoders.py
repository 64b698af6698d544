"""Every encoder on a pretended accelerator: the CPU's numbers, with a handful of waits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

from elmo_core.encoders.random import random_elmo
from tests.devices.pretended import Traffic
from tests.devices.text import sentences
from tests.elmo_core.conftest import TINY
from tests.encoder_files import KINDS

Accelerator = tuple[torch.device, Traffic]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(
    kind: str, configured: Callable[..., DictConfig], tmp_path: Path, accelerator: Accelerator
) -> None:
    device, _ = accelerator
    encoder = instantiate(configured(*KINDS[kind](tmp_path)).encoder)
    expected = encoder.encode(sentences(12))
    for ours, theirs in zip(encoder.to(device).encode(sentences(12)), expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_a_batch_is_waited_for_three_times(accelerator: Accelerator) -> None:
    """128 sentences: the lengths of words, and the layers of each direction."""
    device, traffic = accelerator
    encoder = random_elmo(TINY)
    expected = encoder.encode(sentences(128))
    encoder.to(device)
    encoder.encode([["a"]])  # weights are laid out
    traffic.restart()
    found = encoder.encode(sentences(128))
    assert sum(traffic.waits.values()) == 3, traffic.waits
    assert sum(traffic.copies.values()) <= 4, traffic.copies
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_words_that_are_kept_are_not_spelled_again(accelerator: Accelerator) -> None:
    device, traffic = accelerator
    encoder = random_elmo(TINY).to(device)
    expected = encoder.encode(sentences(20))
    encoder.keep_words({word for words in sentences(20) for word in words})
    traffic.restart()
    found = encoder.encode(sentences(20))
    assert sum(traffic.waits.values()) == sum(traffic.copies.values()) == 2
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)
