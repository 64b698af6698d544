"""The best spans by the scores of their two ends."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def best_spans(
    start: Tensor, end: Tensor, longest: int, number: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Find the `number` spans i ≤ j < i + `longest` with the highest start[i] + end[j], best first.

    Args:
        start, end: (batch, tokens), any scores; −inf where a span must not begin or end.

    Returns scores, first and last token, (batch, spans) each; where a sequence has fewer spans,
    the rest score −inf.
    """
    reachable = F.pad(end, (0, longest - 1), value=-torch.inf).unfold(1, longest, 1)
    scores = (start.unsqueeze(2) + reachable).flatten(1)  # (batch, tokens · longest)
    best, where = scores.topk(min(number, scores.shape[1]))
    first = where // longest
    return best, first, first + where % longest
