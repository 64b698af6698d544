"""Which spans stay: the best ones, none crossing another.

Lee et al. 2017, section 5: in the order of their scores, a span is taken unless it crosses one that
was taken before, until there are enough.

Taken one by one, that is a loop over all spans. In rounds it is not: a span that beats every span
it crosses is taken whatever happens elsewhere, and whatever crosses it is lost; then the same among
the rest. In the end those are taken that the loop would take, usually after few rounds (Blelloch et
al. 2012, Greedy sequential maximal independent set and matching are parallel on average).

Spans lie in a grid (tokens, widths): row s, column w is the span from token s to token s + w.
"""

from __future__ import annotations

import torch
from torch import Tensor


@torch.no_grad()
def prune(scores: Tensor, most: int) -> Tensor:
    """Find the (at most) `most` spans of highest score of which no two cross: bool like `scores`.

    `scores` (tokens, widths): −inf where there is no span, as past the end of a sentence. Of equal
    scores, the span that begins first counts as higher, then the shorter one.
    """
    order = scores.flatten().argsort(descending=True, stable=True)
    lost = scores.numel()  # worse than any rank
    rank = torch.empty_like(order)
    rank[order] = torch.arange(lost, device=rank.device)
    rank = rank.view_as(scores).masked_fill(scores.isneginf(), lost)
    kept = torch.zeros_like(scores, dtype=torch.bool)
    open_ = rank < lost
    while open_.any():
        taken = open_ & (rank < best_crossing(rank.masked_fill(~open_, lost), lost))
        kept |= taken
        open_ &= ~taken & (best_crossing(rank.masked_fill(~taken, lost), lost) == lost)
    ranks = rank[kept].sort().values[:most]
    return kept & (rank <= ranks[-1]) if len(ranks) else kept


def best_crossing(rank: Tensor, lost: int) -> Tensor:
    """Find the lowest rank among the spans that each span crosses; `lost` if it crosses none.

    Two spans cross if they overlap and neither contains the other.
    """
    to_the_right = _overhanging(rank, lost)
    mirrored = _to_ends(rank, lost).flip(0)  # the text read backwards
    to_the_left = _to_starts(_overhanging(mirrored, lost).flip(0), lost)
    return torch.minimum(to_the_right, to_the_left)


def _overhanging(rank: Tensor, lost: int) -> Tensor:
    """Find the lowest rank of the spans that begin inside, after the first token, and end
    outside."""
    # By start s' and width v: the lowest rank of the spans from s' that are wider than v …
    wider = _shift(rank.flip(1).cummin(1).values.flip(1), -1, lost)
    # … and, by end e and width w, the lowest of these for all s' from e − w + 1 to e.
    inside = _shift(_to_ends(wider, lost).cummin(1).values, 1, lost)
    return _to_starts(inside, lost)


def _shift(grid: Tensor, by: int, lost: int) -> Tensor:
    """Move columns to the right, or left if `by` is negative; what comes in is `lost`."""
    moved = grid.roll(by, 1)
    moved[:, 0 if by > 0 else -1] = lost
    return moved


def _to_ends(grid: Tensor, lost: int) -> Tensor:
    """Move row s, column w (the span from s to s + w) to row s + w, column w."""
    return _skew(grid, -1, lost)


def _to_starts(grid: Tensor, lost: int) -> Tensor:
    """Move row e, column w (the span from e − w to e) to row e − w, column w."""
    return _skew(grid, 1, lost)


def _skew(grid: Tensor, sign: int, lost: int) -> Tensor:
    tokens, widths = grid.shape
    rows = torch.arange(tokens, device=grid.device)[:, None]
    columns = torch.arange(widths, device=grid.device)
    rows = rows + sign * columns
    outside = (rows < 0) | (rows >= tokens)
    return grid[rows.clamp(0, tokens - 1), columns].masked_fill(outside, lost)
