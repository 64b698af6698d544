"""The best spans: every span is tried, by brute force."""

from __future__ import annotations

import pytest
import torch

from tasks.nn.spans import best_spans


@pytest.mark.parametrize(("tokens", "longest"), [(9, 4), (3, 17), (1, 1), (40, 17)])
def test_equals_trying_every_span(tokens: int, longest: int) -> None:
    torch.manual_seed(tokens)
    start, end = torch.randn(2, 5, tokens).unbind()
    lengths = torch.randint(1, tokens + 1, (5,))
    past = torch.arange(tokens) >= lengths.unsqueeze(1)
    start, end = start.masked_fill(past, -torch.inf), end.masked_fill(past, -torch.inf)
    scores, first, last = best_spans(start, end, longest, number=6)
    for k, length in enumerate(lengths.tolist()):
        every = [
            ((start[k, i] + end[k, j]).item(), i, j)
            for i in range(length)
            for j in range(i, min(i + longest, length))
        ]
        expected = sorted(every, reverse=True)[:6]
        found = list(zip(scores[k].tolist(), first[k].tolist(), last[k].tolist(), strict=True))
        assert found[: len(expected)] == expected
        assert all(score == -torch.inf for score, _, _ in found[len(expected) :])
