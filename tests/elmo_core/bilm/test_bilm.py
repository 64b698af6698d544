"""BiLM: shapes, masking, state, gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_core import BiLM
from elmo_core.bilm.bilm import State
from elmo_core.bilm.chars import sentence_ids

SENTENCES = [["one", "two", "three"], ["four"], ["five", "six"]]


def test_shapes_and_padding(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    layers, state = bilm(sentence_ids(SENTENCES))
    assert layers.shape == (3, bilm.layers, 5, bilm.dim) == (3, 3, 5, 16)
    assert state.hidden.shape == (2, 2, 3, 8)
    assert state.cell.shape == (2, 2, 3, 24)
    for row, words in enumerate(SENTENCES):
        assert (layers[row, :, len(words) + 2 :] == 0).all()
        assert (layers[row, :, : len(words) + 2] != 0).any(dim=-1).all()


def test_layer_zero_is_the_token_vector_twice(make_bilm: Callable[..., BiLM]) -> None:
    layers, _ = make_bilm()(sentence_ids(SENTENCES))
    ahead, back = layers[:, 0].chunk(2, dim=-1)
    assert torch.equal(ahead, back)


def test_rows_are_independent_and_carry_their_own_state(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    later = [["a", "b", "c", "d"], ["e", "f"], ["g"]]
    _, state = bilm(sentence_ids(SENTENCES))
    together, _ = bilm(sentence_ids(later), state)
    for row in range(3):
        _, own = bilm(sentence_ids([SENTENCES[row]]))
        alone, _ = bilm(sentence_ids([later[row]]), own)
        tokens = alone.shape[2]
        torch.testing.assert_close(together[row, :, :tokens], alone[0], atol=1e-5, rtol=0)


def test_the_forward_direction_continues_where_it_stopped(make_bilm: Callable[..., BiLM]) -> None:
    """State in and out: a text read in two halves gives the forward half of reading it whole."""
    bilm = make_bilm()
    ids = sentence_ids([["a", "long", "sentence", "in", "two", "parts"]])
    whole, end = bilm(ids)
    first, state = bilm(ids[:, :3])
    second, last = bilm(ids[:, 3:], state)
    joined = torch.cat([first, second], dim=2)
    torch.testing.assert_close(joined[..., :8], whole[..., :8], atol=1e-5, rtol=0)
    torch.testing.assert_close(last.hidden[0], end.hidden[0], atol=1e-5, rtol=0)


def test_the_backward_direction_continues_where_it_stopped(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    ids = sentence_ids([["a", "long", "sentence", "in", "two", "parts"]])
    whole, end = bilm(ids)
    right, state = bilm(ids[:, 3:])
    left, last = bilm(ids[:, :3], state)
    joined = torch.cat([left, right], dim=2)
    torch.testing.assert_close(joined[..., 8:], whole[..., 8:], atol=1e-5, rtol=0)
    torch.testing.assert_close(last.hidden[1], end.hidden[1], atol=1e-5, rtol=0)


def test_what_lies_behind_a_sentence_is_zero(make_bilm: Callable[..., BiLM]) -> None:
    layers, _ = make_bilm().contextualise(torch.ones(2, 4, 8), torch.tensor([4, 2]))
    assert not layers[1, :, 2:].any()


def test_zero_state_is_the_default(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    ids = sentence_ids(SENTENCES)
    zeros = State(torch.zeros(2, 2, 3, 8), torch.zeros(2, 2, 3, 24))
    assert torch.equal(bilm(ids)[0], bilm(ids, zeros)[0])


def test_masks_that_make_no_sense_are_refused(make_bilm: Callable[..., BiLM]) -> None:
    bilm = make_bilm()
    ids = sentence_ids(SENTENCES)
    with pytest.raises(ValueError, match="end of their sentence"):
        bilm(ids.flip(1))
    ids[1] = 0
    with pytest.raises(ValueError, match="not masked"):
        bilm(ids)


def test_it_can_be_trained(tiny_options: dict[str, Any]) -> None:
    """Frozen is the encoder, not the model: gradients reach every parameter, through the state."""
    bilm = BiLM(tiny_options)
    _, state = bilm(sentence_ids(SENTENCES))
    layers, _ = bilm(sentence_ids(SENTENCES), state)
    layers.square().sum().backward()
    for name, parameter in bilm.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_under_autocast_layers_and_state_stay_float32(make_bilm: Callable[..., BiLM]) -> None:
    """As the frozen encoder's layers; so the state can be carried on with or without autocast."""
    bilm = make_bilm().requires_grad_()
    exact, _ = bilm(sentence_ids(SENTENCES), bilm(sentence_ids(SENTENCES))[1])
    with torch.autocast("cpu", torch.bfloat16):
        _, state = bilm(sentence_ids(SENTENCES))
        layers, last = bilm(sentence_ids(SENTENCES), state)
    assert {part.dtype for part in (layers, *state, *last)} == {torch.float32}
    assert not torch.equal(layers, exact)
    assert (layers - exact).std() < 0.03 * exact.std()
    bilm(sentence_ids(SENTENCES), state)
    layers.sum().backward()
    for name, parameter in bilm.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


def test_padding_characters_count(make_bilm: Callable[..., BiLM]) -> None:
    """All 50 positions take part in the maximum: a filter sees the padding's embedding."""
    bilm = make_bilm()
    ids = sentence_ids([["a"]])[0, 1:2]
    with torch.no_grad():
        before = bilm.char_cnn(ids)
        bilm.char_cnn.embedding[260] += 100.0
        assert not torch.allclose(bilm.char_cnn(ids), before)
