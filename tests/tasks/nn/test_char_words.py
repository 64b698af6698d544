"""The character CNN for words."""

from __future__ import annotations

import torch

from tasks.nn.char_words import LONGEST, CharCNN, spell


def test_spelling() -> None:
    words, where = spell([["né", "a", "né"], ["x" * 200]])
    assert words.shape == (3, LONGEST)
    assert words[0, :2].tolist() == [ord("a") + 1, 0]
    assert words[1, :4].tolist() == [ord("n") + 1, 0xC3 + 1, 0xA9 + 1, 0]
    assert where.tolist() == [[2, 1, 2], [3, 0, 0]]


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
