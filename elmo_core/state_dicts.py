"""State dicts, of any module: read from PyTorch's files, and added to a fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import torch
from torch import Tensor

from elmo_core.errors import WeightsError


def read_state(path: Path) -> dict[str, Tensor]:
    """Read a state dict as float32; no code in the file is ever run. Raises WeightsError."""
    if not path.is_file():
        raise WeightsError(f"{path}: no such file")
    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
        if not all(isinstance(key, str) for key in loaded):
            raise TypeError("its keys are no names")
        state = {key: value.float() for key, value in loaded.items()}
        finite = all(bool(tensor.isfinite().all()) for tensor in state.values())
    except Exception as error:  # of a file that is none, the reader may fail in any way
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WeightsError(f"{path}: damaged, or no state dict ({reason})") from error
    if not finite:
        raise WeightsError(f"{path}: holds numbers that are not finite")
    return state


def add_tensors(digest: hashlib._Hash, items: Iterable[tuple[str, Tensor]]) -> None:
    """Add names, shapes and numbers to a hash, in the order in which they come; the bytes of a
    number are the same on every machine."""
    for name, tensor in items:
        digest.update(f"{name} {tuple(tensor.shape)}".encode())
        numbers = tensor.detach().cpu().flatten().numpy()
        digest.update(numbers.astype(numbers.dtype.newbyteorder("<"), copy=False).data)
