"""What several models say, together."""

from __future__ import annotations

import math

import torch

from tasks.nn.ensemble import mean


def test_the_mean_is_no_sum_and_knows_of_what_cannot_be() -> None:
    """Twice what one model says is no more than once, or an ensemble would be too sure."""
    first, second = torch.tensor([1.0, 2.0, -math.inf]), torch.tensor([3.0, 4.0, 0.0])
    assert mean([first, second]).tolist() == [2.0, 3.0, -math.inf]
    assert mean([first.half(), first.half()]).dtype == torch.float32
