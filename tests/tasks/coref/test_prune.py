"""Pruning against the greedy loop of the paper."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tasks.coref.prune import best_crossing, prune

Span = tuple[int, int]  # first and last token


def crosses(one: Span, other: Span) -> bool:
    (a, b), (c, d) = sorted((one, other))
    return a < c <= b < d


def spans_of(scores: Tensor) -> list[Span]:
    return [(s, s + w) for s, w in scores.isfinite().nonzero().tolist()]


def greedy(scores: Tensor, most: int) -> set[Span]:
    """Lee et al. 2017, section 5."""
    taken: list[Span] = []
    for span in sorted(spans_of(scores), key=lambda s: -scores[s[0], s[1] - s[0]].item()):
        if len(taken) == most:
            break
        if not any(crosses(span, other) for other in taken):
            taken.append(span)
    return set(taken)


def random_grid(seed: int) -> tuple[Tensor, int]:
    """Sentences of random lengths; in every third case scores are often equal."""
    drawn = torch.Generator().manual_seed(seed)
    tokens, widths, most = (
        int(torch.randint(low, high, (), generator=drawn))
        for low, high in ((1, 40), (1, 11), (1, 30))
    )
    sentence = (torch.rand(tokens, generator=drawn) < 0.15).cumsum(0)
    ends = torch.arange(tokens)[:, None] + torch.arange(widths)
    inside = (ends < tokens) & (sentence[ends.clamp(max=tokens - 1)] == sentence[:, None])
    scores = torch.randn(tokens, widths, generator=drawn)
    if seed % 3 == 0:
        scores = scores.round()
    return scores.masked_fill(~inside, -torch.inf), most


@pytest.mark.parametrize("block", range(10))
def test_equals_the_greedy_loop(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        scores, most = random_grid(seed)
        kept = {(s, s + w) for s, w in prune(scores, most).nonzero().tolist()}
        assert kept == greedy(scores, most), seed


def test_best_crossing_by_brute_force() -> None:
    for seed in range(60):
        scores, _ = random_grid(seed)
        spans, lost = spans_of(scores), scores.numel()
        drawn = torch.randperm(lost, generator=torch.Generator().manual_seed(seed))
        rank = drawn.view_as(scores).masked_fill(scores.isneginf(), lost)
        found = best_crossing(rank, lost)
        for span in spans:
            ranks = [rank[s, e - s].item() for s, e in spans if crosses(span, (s, e))]
            assert found[span[0], span[1] - span[0]] == min(ranks, default=lost)


def test_nothing_to_keep() -> None:
    assert not prune(torch.full((3, 2), -torch.inf), 2).any()
