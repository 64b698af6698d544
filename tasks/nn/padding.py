"""Lists of unequal length → one padded tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def pad(rows: Sequence[Sequence[int]], value: int = 0) -> Tensor:
    """Rows of indices → long (rows, longest row), filled up with `value`."""
    return pad_sequence([torch.tensor(row) for row in rows], True, value)
