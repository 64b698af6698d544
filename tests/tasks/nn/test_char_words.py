"""The character CNN for words."""

from __future__ import annotations

import pytest
import torch

from tasks.nn.char_words import LONGEST, CharCNN, spell


def test_spelling() -> None:
    words, where = spell([["né", "a", "né"], ["x" * 200]])
    assert words.shape == (3, LONGEST)
    assert words[0, :2].tolist() == [ord("a") + 1, 0]
    assert words[1, :4].tolist() == [ord("n") + 1, 0xC3 + 1, 0xA9 + 1, 0]
    assert where.tolist() == [[2, 1, 2], [3, 0, 0]]


def test_a_long_word_keeps_its_beginning() -> None:
    words, where = spell([["abcdef", "abcxyz"], ["def"]], longest=3)
    assert (words - 1).tolist() == [list(b"abc"), list(b"def")]
    assert where.tolist() == [[1, 1], [2, 0]]


def test_a_word_has_one_vector_whatever_stands_beside_it() -> None:
    torch.manual_seed(0)
    cnn = CharCNN(char_dim=4, filters=6, widths=[2, 3])
    alone = cnn(*spell([["Oslo"]]))
    vectors = cnn(*spell([["a", "Oslo", "internationally"], ["Oslo"]]))
    assert vectors.shape == (2, 3, 12)
    torch.testing.assert_close(vectors[0, 1], alone[0, 0])
    torch.testing.assert_close(vectors[1, 0], alone[0, 0])
    assert vectors[1, 1:].abs().sum() == 0


def test_dropout_falls_on_each_occurrence() -> None:
    torch.manual_seed(0)
    cnn = CharCNN(char_dim=16, filters=6, widths=[2, 3], dropout=0.5)
    spelled = spell([["the", "cat", "the"], ["the"]])
    vectors = cnn(*spelled)
    assert vectors[1, 1:].abs().sum() == 0
    the = torch.stack([vectors[0, 0], vectors[0, 2], vectors[1, 0]])
    assert len(the.unique(dim=0)) == 3
    vectors = cnn.eval()(*spelled)
    assert torch.equal(vectors[0, 0], vectors[0, 2])


def test_characters_by_hand() -> None:
    """ReLU of each window of three, the first and last half outside; then the maximum."""
    torch.manual_seed(0)
    cnn = CharCNN(char_dim=4, filters=6, widths=[3])
    (bank,) = cnn.banks
    words, where = spell([["Oslo", "internationally"]])
    letters = torch.nn.functional.pad(cnn.table(words[0, :4]), (0, 0, 1, 1))
    windows = [letters[i : i + 3].T for i in range(4)]
    scores = [(bank.weight * w).sum((1, 2)) + bank.bias for w in windows]
    expected = torch.stack(scores).relu().amax(0)
    torch.testing.assert_close(cnn(words, where)[0, 0], expected)


@pytest.mark.parametrize("dtype", [None, torch.bfloat16])
def test_the_products_on_a_cpu_are_convolutions(dtype: torch.dtype | None) -> None:
    """Values and gradients, of words of all lengths, in windows of odd and even widths."""
    torch.manual_seed(0)
    cnn = CharCNN(char_dim=4, filters=6, widths=[3, 2, 5, 1])
    words, _ = spell([["a", "né", "Oslo", "internationally"]])
    words = torch.cat([words, torch.zeros_like(words[:1])])
    vectors, there = cnn.table(words), words != 0
    found = []
    for pooled in (cnn._convolutions, cnn._products):
        cnn.zero_grad()
        with torch.autocast("cpu", dtype, enabled=dtype is not None):
            features = pooled(vectors, there)
        (features.float() ** 2).sum().backward(retain_graph=True)
        found.append([features, *(parameter.grad for parameter in cnn.parameters())])
    close = {} if dtype is None else {"rtol": 0.05, "atol": 0.05}
    torch.testing.assert_close(found[1], found[0], **close)
