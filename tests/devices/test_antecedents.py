"""Coreference's pairs on a pretended accelerator: the CPU's numbers, in a few large blocks."""

from __future__ import annotations

import pytest
import torch

from tasks.coref import antecedents
from tasks.coref.antecedents import AntecedentScorer, Links
from tasks.coref.spans import Spans
from tests.devices.pretended import Traffic

SPANS, DIM, CLUSTERS = 440, 6, 30  # as many spans as 1,100 words have


def linked(device: torch.device) -> tuple[Links, list[torch.Tensor]]:
    """Link a document's spans; returns the gradients, too. In float64, without dropout."""
    draw = torch.Generator().manual_seed(1)
    torch.manual_seed(0)
    scorer = AntecedentScorer(
        DIM, genres=2, max_antecedents=250, feature_dim=2, feed_forward=4, dropout=0.0
    )
    scorer.double().to(device)
    place = torch.arange(SPANS, device=device)
    vectors = torch.randn(SPANS, DIM, generator=draw, dtype=torch.double).to(device)
    scores = torch.randn(SPANS, generator=draw, dtype=torch.double).to(device)
    cluster = torch.randint(0, CLUSTERS, (SPANS,), generator=draw).to(device)
    speaker = torch.randint(0, 3, (SPANS,), generator=draw).to(device)
    found = scorer(
        Spans(place, place, scores, vectors), speaker, torch.ones((), device=device).long(), cluster
    )
    found.loss.backward()
    return found, [p.grad.cpu() for p in scorer.parameters() if p.grad is not None]


def test_larger_blocks_launch_a_sixth_of_the_operators(
    accelerator: tuple[torch.device, Traffic], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four blocks instead of the 28 that a CPU takes; links and gradients are the CPU's."""
    device, traffic = accelerator
    traffic.doubles = True
    ours, gradients = linked(device)
    few = traffic.operators
    traffic.restart()
    monkeypatch.setattr(antecedents, "DEVICE_BLOCK", antecedents.BLOCK)
    linked(device)
    assert 6 * few < traffic.operators
    theirs, expected = linked(torch.device("cpu"))
    torch.testing.assert_close(ours.loss.detach().cpu(), theirs.loss.detach())
    assert ours.antecedent.cpu().equal(theirs.antecedent)
    torch.testing.assert_close(ours.probability.cpu(), theirs.probability)
    torch.testing.assert_close(gradients, expected)
