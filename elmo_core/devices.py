"""What a GPU wants otherwise than a CPU: copies that are not waited for, and larger portions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_core.errors import OptionsError


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """Copy a tensor to a device, behind the work that the device has been given.

    A plain `.to(device)` waits until the device has done all that work. It is what is done all the
    same to the CPU, which would read what is still being written, and on Metal: there, a copy that
    nobody waits for may read memory that is used again by then.

    Args:
        tensor: It may be changed or forgotten as soon as this returns, unless it stays where it is.
        device: Where it goes.

    Returns:
        The copy; the tensor itself where it is there already.

    >>> sent(torch.ones(2), torch.device("cpu"))
    tensor([1., 1.])
    """
    if device.type == "cuda" and tensor.device.type == "cpu":
        tensor = tensor.pin_memory()  # the copy of any other memory is one that waits
    return tensor.to(device, non_blocking=device.type not in ("cpu", "mps"))


def checked(name: str) -> torch.device:
    """Return a device by name, such as `cuda:1`. Raises OptionsError where it is not there."""
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:  # AssertionError: torch without CUDA
        raise OptionsError(f"device {name}: {str(error).splitlines()[0]}") from error


def random_state_kept() -> AbstractContextManager[None]:
    """Inside, numbers may be drawn and seeds set; after it, the generators of the CPU and of all
    CUDA GPUs are as they were."""
    used = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    return torch.random.fork_rng(devices=used)


def moved(tensors: Mapping[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """Send a batch's tensors to a device; those whose name ends in `lengths` stay on the CPU."""
    return {
        key: tensor if key.endswith("lengths") else sent(tensor, device)
        for key, tensor in tensors.items()
    }


@dataclass(frozen=True)
class Portions:
    """How much is computed at a time; the results do not depend on it."""

    sentences: int  # of a batch
    tokens: int  # of a batch, padded: the memory of results, 30 kB a token with 3 layers of 1,024
    words: int  # spelled by the character CNN
    gates: int  # numbers in the gates of an LSTM
    logits: int  # of a softmax, in training


CPU = Portions(sentences=128, tokens=2**14, words=256, gates=2**22, logits=2**21)
"""What is in work at a time stays in the processor's cache: gates of 16 MB, logits of 8."""

GPU = Portions(sentences=1024, tokens=2**16, words=1024, gates=2**25, logits=2**27)
"""A step must be work enough for thousands of cores, in some 2 GB."""


def portions(device: torch.device) -> Portions:
    """Return how much is computed at a time on a device."""
    return CPU if device.type == "cpu" else GPU
