"""The space in which cosines are taken, against the mean and covariance themselves."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tasks.nn.space import RIDGE, Space


def filled(kind: str, shown: torch.Tensor) -> Space:
    space = Space(kind, shown.shape[1])
    for part in shown.split(7):
        space.add(part)
    return space


@pytest.fixture
def shown() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(60, 5) @ torch.randn(5, 5) + 3


def test_raw_changes_nothing(shown: torch.Tensor) -> None:
    space = filled("raw", shown)
    assert torch.equal(space(shown), shown)
    assert not space.state_dict()


def test_centred_vectors_have_no_mean(shown: torch.Tensor) -> None:
    assert torch.allclose(filled("centred", shown)(shown).mean(0), torch.zeros(5), atol=1e-6)


def test_whitened_vectors_have_the_covariance_of_noise(shown: torch.Tensor) -> None:
    found = filled("whitened", shown)(shown)
    assert torch.allclose(found.T.cov(correction=0), torch.eye(5), atol=0.05)


def test_whitened_cosines_are_those_of_the_inverse_root(shown: torch.Tensor) -> None:
    """By eigenvalues: another root of the same covariance gives the same cosines."""
    exact = shown.double()
    covariance = exact.T.cov(correction=0)
    covariance += RIDGE * covariance.diagonal().mean() * torch.eye(5)
    values, vectors = torch.linalg.eigh(covariance)
    expected = F.normalize((exact - exact.mean(0)) @ vectors / values.sqrt(), dim=1)
    found = F.normalize(filled("whitened", shown)(shown), dim=1).double()
    assert torch.allclose(found @ found.T, expected @ expected.T, atol=1e-4)


@pytest.mark.parametrize("kind", ["raw", "centred", "whitened"])
def test_sums_point_where_their_averages_do(kind: str, shown: torch.Tensor) -> None:
    space, counts = filled(kind, shown), torch.tensor([3, 1, 20])
    sums = torch.stack([part.sum(0) for part in shown[:24].split(counts.tolist())])
    found, expected = space(sums, counts), space(sums / counts.unsqueeze(1))
    assert torch.allclose(F.normalize(found, dim=1), F.normalize(expected, dim=1), atol=1e-4)


@pytest.mark.parametrize("kind", ["centred", "whitened"])
def test_what_was_shown_is_kept(kind: str, shown: torch.Tensor) -> None:
    again = Space(kind, 5)
    again.load_state_dict(filled(kind, shown).state_dict())
    assert torch.equal(again(shown), filled(kind, shown)(shown))


def test_few_vectors_can_be_whitened() -> None:
    """Two vectors span one direction of five: the others stay small, and all is finite."""
    few = torch.randn(2, 5)
    assert filled("whitened", few)(few).isfinite().all()


def test_an_unknown_space_is_told() -> None:
    with pytest.raises(ValueError, match="space=white: unknown"):
        Space("white", 5)
