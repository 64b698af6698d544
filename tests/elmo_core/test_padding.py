"""pad: the layers of sentences as one tensor, and what of it is real."""

from __future__ import annotations

import re

import pytest
import torch

from elmo_core import pad

SIZES = (2, 4, 1)


def test_every_sentence_keeps_its_numbers_and_the_rest_is_zero() -> None:
    given = [torch.randn(3, tokens, 5) for tokens in SIZES]
    layers, mask = pad(given)
    assert layers.shape == (3, 3, 4, 5)
    assert mask.dtype == torch.bool
    for row, real, alone in zip(layers, mask, given, strict=True):
        assert real.tolist() == [i < alone.shape[1] for i in range(4)]
        assert torch.equal(row[:, real], alone)
        assert not row[:, ~real].any()


def test_the_precision_is_kept() -> None:
    assert pad([torch.ones(1, 2, 3).half()])[0].dtype == torch.float16


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([], "got none"),
        ([torch.zeros(3, 2, 5), torch.zeros(2, 2, 5)], "got (3, 2, 5), (2, 2, 5)"),
        ([torch.zeros(3, 2, 5), torch.zeros(3, 2, 4)], "got (3, 2, 5), (3, 2, 4)"),
        ([torch.zeros(2, 5)], "got (2, 5)"),
    ],
)
def test_what_is_not_alike(given: list[torch.Tensor], found: str) -> None:
    with pytest.raises(ValueError, match=re.escape(found)):
        pad(given)
