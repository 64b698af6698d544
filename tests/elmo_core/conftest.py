"""What the tests of `elmo_core` share: a tiny biLM, and the published reference vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core.bilm.bilm import BiLM
from tests.conftest import shared

TINY: dict[str, Any] = {
    "lstm": {
        "dim": 24,
        "projection_dim": 8,
        "n_layers": 2,
        "cell_clip": 3,
        "proj_clip": 3,
        "use_skip_connections": True,
    },
    "char_cnn": {
        "activation": "relu",
        "embedding": {"dim": 4},
        "filters": [[1, 4], [2, 6], [3, 8]],
        "max_characters_per_token": 50,
        "n_characters": 262,
        "n_highway": 1,
    },
}


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    """On tensors this small, threads only stand in each other's way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tiny_options() -> dict[str, Any]:
    """A fresh copy, to be changed at will."""
    return {
        "lstm": dict(TINY["lstm"]),
        "char_cnn": {**TINY["char_cnn"], "embedding": dict(TINY["char_cnn"]["embedding"])},
    }


@pytest.fixture
def make_bilm(tiny_options: dict[str, Any]) -> Callable[..., BiLM]:
    """A seeded biLM whose LSTM weights are large enough for every non-linearity to matter."""

    def make(scale: float = 3.0, seed: int = 0, **lstm: Any) -> BiLM:
        bilm = BiLM({**tiny_options, "lstm": {**tiny_options["lstm"], **lstm}})
        bilm.initialise(torch.Generator().manual_seed(seed))
        with torch.no_grad():
            for lstm_layer in (*bilm.forward_lstm, *bilm.backward_lstm):
                for parameter in lstm_layer.parameters():
                    parameter.mul_(scale)
        return bilm.eval().requires_grad_(False)

    return make


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of the published reference vectors; they are not part of this repository."""
    return shared("reference/elmo")
