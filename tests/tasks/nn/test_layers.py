"""Shared layers against brute force, and their indifference to padding."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch

from elmo_core.errors import WeightsError
from tasks.nn.attention import align, masked_softmax
from tasks.nn.dropout import VariationalDropout
from tasks.nn.merge import Merge
from tasks.nn.padding import pad, pad_twice
from tasks.nn.pooling import masked_max, masked_mean
from tasks.nn.words import PAD, UNK, WordEmbedding, Words
from tasks.task import DataError

LENGTHS = [3, 5, 1]


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(3, 5, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def mask() -> torch.Tensor:
    return torch.arange(5) < torch.tensor(LENGTHS).unsqueeze(1)


def test_masked_softmax_is_softmax_of_what_is_left(x: torch.Tensor, mask: torch.Tensor) -> None:
    scores = x[:, :, 0]
    weights = masked_softmax(scores, mask)
    for row, given, n in zip(weights, scores, LENGTHS, strict=True):
        assert torch.allclose(row[:n], given[:n].softmax(0))
        assert row[n:].abs().sum() == 0
    assert masked_softmax(scores, torch.zeros_like(mask)).abs().sum() == 0


def test_align_against_loops(x: torch.Tensor, mask: torch.Tensor) -> None:
    other = torch.randn(3, 4, 4, generator=torch.Generator().manual_seed(1))
    other_mask = torch.arange(4) < torch.tensor([4, 2, 3]).unsqueeze(1)
    a_sees, b_sees = align(x, other, mask, other_mask)
    for i, (m, n) in enumerate(zip(LENGTHS, [4, 2, 3], strict=True)):
        for p in range(m):
            weights = torch.stack([x[i, p] @ other[i, q] for q in range(n)]).softmax(0)
            expected = sum(w * other[i, q] for q, w in enumerate(weights))
            assert torch.allclose(a_sees[i, p], expected, atol=1e-6)
        for q in range(n):
            weights = torch.stack([x[i, p] @ other[i, q] for p in range(m)]).softmax(0)
            expected = sum(w * x[i, p] for p, w in enumerate(weights))
            assert torch.allclose(b_sees[i, q], expected, atol=1e-6)


def test_pooling(x: torch.Tensor, mask: torch.Tensor) -> None:
    for i, n in enumerate(LENGTHS):
        assert torch.allclose(masked_mean(x, mask)[i], x[i, :n].mean(0))
        assert torch.allclose(masked_max(x, mask)[i], x[i, :n].amax(0))


def test_variational_dropout_drops_a_feature_in_all_tokens_of_a_sequence() -> None:
    torch.manual_seed(0)
    dropped = VariationalDropout(0.5)(torch.ones(8, 6, 50))
    assert torch.equal(dropped, dropped[:, :1].expand_as(dropped))
    assert len(dropped[:, 0].unique(dim=0)) == 8  # each sequence drops features of its own
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert 0.4 < (dropped == 0).float().mean() < 0.6
    assert torch.equal(VariationalDropout(0.5).eval()(dropped), dropped)


def test_padding() -> None:
    """Whole numbers, even of nothing; a list is never of no width."""
    assert pad([[1, 2], []], 7).tolist() == [[1, 2], [7, 7]]
    assert pad_twice([[[1, 2], []], [[3]]], 7).tolist() == [[[1, 2], [7, 7]], [[3, 7], [7, 7]]]
    assert pad_twice([[[]]], 7).tolist() == [[[7]]]
    assert pad([[], []]).dtype == pad_twice([[], []], 7).dtype == torch.long


def test_words_learned_from_scratch() -> None:
    words = Words.learned(Counter({"the": 5, "Cat": 2, "dog": 1}), dim=6)
    assert words.vocabulary(["the", "Cat", "dog", "never", "The"]) == [2, 3, UNK, UNK, 2]
    embedding = WordEmbedding(words)
    assert embedding(torch.tensor([[PAD, 2]]))[0, 0].abs().sum() == 0
    assert embedding.table.weight.requires_grad


def test_padding_stays_zero_while_vectors_are_learned() -> None:
    embedding = WordEmbedding(Words.learned(Counter({"the": 5}), dim=6))
    embedding(torch.tensor([[PAD, UNK, 2]])).sum().backward()
    assert embedding.table.weight.grad is not None
    assert embedding.table.weight.grad.any(dim=1).tolist() == [False, True, True]


@pytest.mark.parametrize("std", [0.1, 0.4])
def test_learned_vectors_begin_as_long_as_they_are_asked_to(std: float) -> None:
    words = Words.learned(Counter({str(i): 2 for i in range(300)}), dim=50)
    assert WordEmbedding(words, std=std).table.weight[1:].std().item() == pytest.approx(std, 0.05)


def glove(folder: Path, text: str) -> Path:
    path = folder / "glove.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_words_from_a_file_are_fixed_and_only_the_wanted_are_kept(tmp_path: Path) -> None:
    path = glove(tmp_path, "the 1 2 3\nCat 4 5 6\nother 7 8 9\n. . . 7 7 7\ncafé 1 1 1\n")
    words = Words.from_file(path, Counter({"The": 2, "Cat": 1, "café": 1, "zzz": 1}), {". . ."})
    assert words.dim == 3
    assert list(words.vocabulary.index) == ["the", "Cat", ". . .", "café"]
    embedding = WordEmbedding(words)
    assert not embedding.table.weight.requires_grad
    seen = embedding(torch.tensor([words.vocabulary(["Cat", "The", ". . .", "zzz"])]))[0].tolist()
    assert seen == [[4, 5, 6], [1, 2, 3], [7, 7, 7], [0, 0, 0]]


def test_malformed_vectors_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="line 2: expected a word and 3 numbers"):
        Words.from_file(glove(tmp_path, "a 1 2 3\nb 1 2\n"), Counter("b"), ())


def test_vectors_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none of the 1 words"):
        Words.from_file(glove(tmp_path, "a 1 2 3\n"), Counter("b"), ())
    with pytest.raises(WeightsError, match="nothing is not a file"):
        Words.from_file(tmp_path / "nothing", Counter("b"), ())


def test_merge_is_one_layer_over_all_parts(x: torch.Tensor) -> None:
    parts = [part.requires_grad_() for part in x.split([1, 2, 1], dim=2)]
    layer = Merge(4, 6)
    torch.nn.init.normal_(layer[0].bias)
    torch.testing.assert_close(layer(*parts), layer[1](layer[0](x)))
    with pytest.raises(RuntimeError, match="split_with_sizes"):
        layer(*parts[:2])
