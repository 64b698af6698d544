"""Weight files, options and vectors that somebody else made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.bilm.weights import load_hdf5, write_hdf5
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.word_vectors import WordVectors
from tests.elmo_core.conftest import TINY
from tests.faults.test_json import ABSURD


@pytest.mark.parametrize("text", ABSURD.values(), ids=ABSURD)
def test_absurd_options_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "options.json"
    path.write_text(json.dumps({**TINY, "x": "?"}).replace('"?"', text))
    with pytest.raises(OptionsError, match=r"options\.json: not a JSON file"):
        Options.read(path)


def test_options_with_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "options.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(TINY).encode())
    assert Options.read(path) == Options.parse(TINY)
    path.write_bytes(b"\xe9")
    with pytest.raises(OptionsError, match=r"options\.json: not a JSON file"):
        Options.read(path)


@pytest.mark.parametrize(
    ("section", "key", "value", "says"),
    [
        ("char_cnn", "max_characters_per_token", 10**9, "1000 at most, got 1000000000"),
        ("char_cnn", "n_highway", 10**6, "100 at most"),
        ("char_cnn", "filters", [[1, 10**9]], "a number from 1 to 65536"),
        ("lstm", "n_layers", 10**7, "100 at most"),
        ("lstm", "dim", 10**9, "65536 at most"),
    ],
)
def test_sizes_are_bounded(section: str, key: str, value: Any, says: str) -> None:
    with pytest.raises(OptionsError, match=says):
        Options.parse({**TINY, section: {**TINY[section], key: value}})


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    write_hdf5(BiLM(Options.parse(TINY)), tmp_path / "weights.hdf5")
    return tmp_path / "weights.hdf5"


def replaced(path: Path, **how: Any) -> str:
    """Make the first tensor of the file anew; returns its name."""
    names: list[str] = []
    with h5py.File(path, "r+") as file:
        file.visititems(lambda n, item: names.append(n) if isinstance(item, h5py.Dataset) else None)
        shape = file[names[0]].shape
        del file[names[0]]
        file.create_dataset(names[0], shape=shape, **{"dtype": "f4", **how})
    return names[0]


def test_weights_in_another_file_are_not_read(weights: Path) -> None:
    secret = weights.with_name("secret")
    secret.write_bytes(np.ones(10_000, "f4").tobytes())
    name = replaced(weights, external=[(str(secret), 0, h5py.h5f.UNLIMITED)])
    with pytest.raises(WeightsError, match=f"tensor {name} lies in another file"):
        load_hdf5(Options.parse(TINY), weights)


@pytest.mark.parametrize("dtype", ["S4", "i4", h5py.string_dtype()])
def test_weights_are_numbers(dtype: Any, weights: Path) -> None:
    name = replaced(weights, dtype=dtype)
    with pytest.raises(WeightsError, match=rf"weights\.hdf5: tensor {name} holds .*, not floating"):
        load_hdf5(Options.parse(TINY), weights)


def test_weights_may_be_of_another_byte_order(weights: Path) -> None:
    replaced(weights, dtype=">f4")
    assert load_hdf5(Options.parse(TINY), weights).options == Options.parse(TINY)


def test_vectors_with_a_byte_order_mark_keep_their_first_word(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    for header in (b"", b"2 2\n"):
        path.write_bytes(b"\xef\xbb\xbf" + header + b"the 0.5 1\nbank 2 3\n")
        assert WordVectors(path)(["the", "bank"]).tolist() == [[0.5, 1], [2, 3]]


@pytest.mark.parametrize("key", ["cell_clip", "proj_clip"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_clip_is_a_number(key: str, value: float) -> None:
    with pytest.raises(OptionsError, match=f"lstm.{key} must be a positive number or null"):
        Options.parse({**TINY, "lstm": {**TINY["lstm"], key: value}})
