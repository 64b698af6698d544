"""Layers in the memory of a GPU, from where batches are gathered without asking the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from elmo_core.devices import sent

Rows = Mapping[bytes, NDArray[Any]]
PORTION = 1 << 12  # rows that are copied at a time: some 40 MB


class Resident:
    """The layers of sentences in one table on a device, a row a token, as shards have them.

    Args:
        rows: Of each sentence, by its address; at least one sentence.
        layers: Of the encoder.
        dim: Of the encoder.
        device: Where the table lies. The rows may be forgotten or changed afterwards.

    Raises:
        torch.cuda.OutOfMemoryError: The device has no room for `size(rows)` bytes.

    Example:
        >>> a, b = (torch.full((2, 6), n).numpy() for n in (1.0, 2.0))
        >>> table = Resident({b"a": a, b"b": b[:1]}, layers=3, dim=2, device=torch.device("cpu"))
        >>> table.layers([b"b", b"a"]).shape  # (sentences, layers, tokens, dim)
        torch.Size([2, 3, 2, 2])
        >>> table.holds([b"c"])
        False
    """

    def __init__(self, rows: Rows, layers: int, dim: int, device: torch.device) -> None:
        self._sizes, self._device = (layers, dim), device
        self._places: dict[bytes, tuple[int, int]] = {}  # the first row of a sentence, its length
        end, width = 1, _width(rows)
        for portion in _portions(rows):
            for key in portion:
                self._places[key] = end, len(rows[key])
                end += len(rows[key])
        some = next(iter(rows.values()))
        self._table = torch.zeros(end, width, dtype=torch.from_numpy(some[:0]).dtype, device=device)
        for portion in _portions(rows):
            wide = np.concatenate([_widened(rows[key], width) for key in portion])
            start = self._places[portion[0]][0]
            self._table[start : start + len(wide)].copy_(torch.from_numpy(wide))

    def holds(self, keys: Iterable[bytes]) -> bool:
        """Say whether all these sentences are here."""
        return all(key in self._places for key in keys)

    def layers(self, keys: Sequence[bytes]) -> Tensor:
        """Gather the layers of sentences that are here; the host waits for nothing.

        Args:
            keys: The addresses of the sentences.

        Returns:
            (sentences, layers, tokens, dim) on the device, zero-padded to the longest sentence.
        """
        places = [self._places[key] for key in keys]
        starts, lengths = sent(torch.tensor(places).T.contiguous(), self._device).unsqueeze(-1)
        at = torch.arange(max(length for _, length in places), device=self._device)
        rows = F.embedding(torch.where(at < lengths, starts + at, 0), self._table)  # row 0 is zero
        layers, dim = self._sizes
        twice = rows[..., : layers * dim - rows.shape[-1]]  # what is stored once of layer 0
        whole = torch.cat([twice, rows], dim=-1).unflatten(-1, self._sizes)
        return whole.transpose(1, 2).contiguous()


def size(rows: Rows) -> int:
    """Count the bytes of the table for these sentences, none where there are none."""
    if not rows:
        return 0
    some = next(iter(rows.values()))
    return (1 + sum(map(len, rows.values()))) * _width(rows) * some.itemsize


def _width(rows: Rows) -> int:
    return max(each.shape[1] for each in rows.values())


def _widened(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """Write the half of layer 0 that is stored once a second time, where others have both."""
    return np.concatenate([rows[:, : width - rows.shape[1]], rows], axis=1)


def _portions(rows: Rows) -> Iterator[list[bytes]]:
    """Part the sentences, in their order on the disk."""
    portion, tokens = list[bytes](), 0
    for key, each in rows.items():
        portion.append(key)
        tokens += len(each)
        if tokens >= PORTION:
            yield portion
            portion, tokens = [], 0
    if portion:
        yield portion
