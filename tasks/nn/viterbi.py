"""The best tag sequence of a linear chain (Viterbi 1967), for a whole batch at once."""

from __future__ import annotations

import torch
from torch import Tensor


@torch.no_grad()
def viterbi(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor | None = None,
    end: Tensor | None = None,
) -> list[list[int]]:
    """Find the highest-scoring tags of each sequence, one for each of its real tokens.

    A sequence of tags y scores Σ emissions[t, y_t] + Σ transitions[y_t, y_{t+1}] + start[y_first]
    + end[y_last]; what must never be chosen is −inf.

    Args:
        emissions: (batch, tokens, tags), any scores: logits or log-probabilities.
        mask: (batch, tokens), True at real tokens, which come first.
        transitions: (tags, tags), from the row's tag to the column's.
        start, end: (tags,), of the first and the last tag; zero if None.

    Of equally good tags the one with the lowest index is taken.
    """
    scores = emissions.float()
    into = transitions.t().contiguous()  # by the tag that is entered
    best = scores[:, 0] if start is None else scores[:, 0] + start
    reached = [best]  # for each step (batch, tags): the best score of a path that ends in each tag
    for t in range(1, scores.shape[1]):
        arriving = (best.unsqueeze(1) + into).amax(dim=2)  # far quicker than `max`
        best = torch.where(mask[:, t, None], arriving + scores[:, t], best)  # padding: as it was
        reached.append(best)
    tag = (best if end is None else best + end).argmax(dim=1)
    path = [tag]
    for t in range(scores.shape[1] - 1, 0, -1):
        before = (reached[t - 1] + into[tag]).argmax(dim=1)
        tag = torch.where(mask[:, t], before, tag)
        path.append(tag)
    paths = torch.stack(path[::-1], dim=1).tolist()
    return [row[:n] for row, n in zip(paths, mask.sum(1).tolist(), strict=True)]
