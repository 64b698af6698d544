"""lstm.py and bilm.py against a second implementation: plain Python numbers, one cell at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.chars import sentence_ids
from elmo_core.bilm.lstm import ProjectedLSTM

SENTENCES = [["a", "bcd", "é"], ["xyz"], ["hello", "wide", "world", "again", "!"]]


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def clip(x: float, bound: float | None) -> float:
    return x if bound is None else max(-bound, min(bound, x))


def dot(row: list[float], x: list[float]) -> float:
    return sum(a * b for a, b in zip(row, x, strict=True))


def one_step(
    lstm: ProjectedLSTM, x: list[float], h: list[float], c: list[float]
) -> tuple[list[float], list[float]]:
    """The equations of the published cell, number by number; returns h, c."""
    inner = lstm.cell_clip, lstm.proj_clip
    size = len(c)
    from_input, from_past = lstm.input_weight.tolist(), lstm.recurrent_weight.tolist()
    gate = [
        dot(from_input[r], x) + dot(from_past[r], h) + b for r, b in enumerate(lstm.bias.tolist())
    ]
    memory, shown = [], []
    for k in range(size):
        i, j, f, o = (gate[k + block * size] for block in range(4))
        new = clip(sigmoid(i) * math.tanh(j) + sigmoid(f + 1.0) * c[k], inner[0])
        memory.append(new)
        shown.append(sigmoid(o) * math.tanh(new))
    return [clip(dot(row, shown), inner[1]) for row in lstm.projection.tolist()], memory


def one_direction(
    bilm: BiLM, lstms: Iterable[Any], tokens: list[list[float]]
) -> tuple[list[Any], list[Any]]:
    """Every layer's outputs for one sentence from zero state, and each layer's last h and c."""
    layers, states = [], []
    for depth, lstm in enumerate(lstms):
        h, c = [0.0] * bilm.options.projection_dim, [0.0] * bilm.options.cells
        outputs = []
        for x in tokens:
            h, c = one_step(lstm, x, h, c)
            residual = x if depth > 0 and bilm.options.skip else [0.0] * len(x)
            outputs.append([a + b for a, b in zip(h, residual, strict=True)])
        layers.append(outputs)
        states.append((h, c))
        tokens = outputs
    return layers, states


SHAPES = [
    {},
    {"cell_clip": 0.3, "proj_clip": 0.2},
    {"cell_clip": None, "proj_clip": None},
    {"use_skip_connections": False},
    {"n_layers": 1},
    {"n_layers": 3, "cell_clip": 0.5, "proj_clip": 0.4},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_layer_and_state_equals_the_plain_equations(
    make_bilm: Callable[..., BiLM], shape: dict[str, Any]
) -> None:
    bilm = make_bilm(**shape)
    with torch.no_grad():
        for lstm in (*bilm.forward_lstm, *bilm.backward_lstm):
            lstm.bias.uniform_(-1, 1, generator=torch.Generator().manual_seed(5))
    layers, state = bilm(sentence_ids(SENTENCES))
    for row, words in enumerate(SENTENCES):
        tokens = bilm.char_cnn(sentence_ids([words])[0]).tolist()
        length = len(tokens)
        ahead, states_ahead = one_direction(bilm, bilm.forward_lstm, tokens)
        back, states_back = one_direction(bilm, bilm.backward_lstm, tokens[::-1])
        for k in range(bilm.options.depth):
            expected = [a + b for a, b in zip(ahead[k], back[k][::-1], strict=True)]
            torch.testing.assert_close(
                layers[row, k + 1, :length], torch.tensor(expected), atol=1e-5, rtol=0
            )
            for direction, states in enumerate((states_ahead, states_back)):
                hidden, cell = (torch.tensor(part) for part in states[k])
                torch.testing.assert_close(
                    state.hidden[direction, k, row], hidden, atol=1e-5, rtol=0
                )
                torch.testing.assert_close(state.cell[direction, k, row], cell, atol=1e-5, rtol=0)


def test_the_clips_act(make_bilm: Callable[..., BiLM]) -> None:
    """Guards the test above: with these weights both bounds are reached."""
    _, state = make_bilm(cell_clip=0.3, proj_clip=0.2)(sentence_ids(SENTENCES))
    assert (state.cell.abs() == 0.3).any()
    assert (state.hidden.abs() == 0.2).any()


def test_the_residual_stays_out_of_the_recurrence(make_bilm: Callable[..., BiLM]) -> None:
    """With and without skip connections, the second layer's own state is the same."""
    _, with_skip = make_bilm()(sentence_ids(SENTENCES))
    _, without = make_bilm(use_skip_connections=False)(sentence_ids(SENTENCES))
    assert torch.equal(with_skip.hidden, without.hidden)
    assert torch.equal(with_skip.cell, without.cell)
