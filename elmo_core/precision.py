"""Exact float32, whatever the training around it has chosen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def exact_float32(device: torch.device) -> Iterator[None]:
    """Switch off autocast, TF32 and bfloat16 products within the block.

    A frozen encoder's vectors are stored and compared across machines and runs; a trainer that asks
    for `bf16-mixed` or for fast matrix products must not change them. cuDNN's convolutions and
    LSTMs use TF32 by default, which is good for three digits only.
    """
    before = [getattr(owner, name) for owner, name, _ in _switches()]
    for owner, name, exact in _switches():
        setattr(owner, name, exact)
    try:
        with torch.autocast(device.type, enabled=False):
            yield
    finally:
        for (owner, name, _), value in zip(_switches(), before, strict=True):
            setattr(owner, name, value)


def _switches() -> list[tuple[Any, str, Any]]:
    """List (owner, attribute, exact value) of what makes float32 faster and coarser."""
    backends: Any = torch.backends
    cuda, cudnn, cpu = backends.cuda, backends.cudnn, backends.mkldnn
    if not hasattr(cuda.matmul, "fp32_precision"):  # torch before 2.9
        return [(cuda.matmul, "allow_tf32", False), (cudnn, "allow_tf32", False)]
    owners = (cuda.matmul, cudnn.conv, cudnn.rnn, cpu.matmul, cpu.conv, cpu.rnn)
    return [(owner, "fp32_precision", "ieee") for owner in owners]
