"""Weights and options that somebody damaged, or made to do harm: one WeightsError or OptionsError,
before memory is taken."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from elmo_core import load_encoder
from elmo_core.bilm import weights
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.errors import OptionsError, WeightsError
from tests.faults.damage import KINDS

TOO_LARGE = (
    ("lstm", "n_layers", 10**7),
    ("lstm", "dim", 10**9),
    ("lstm", "projection_dim", 10**9),
    ("char_cnn", "max_characters_per_token", 10**9),
    ("char_cnn", "n_highway", 10**7),
    ("char_cnn", "filters", [[1, 10**9]]),
    ("char_cnn", "filters", [[1, 8]] * 10**5),
    ("lstm", "cell_clip", math.nan),
    ("lstm", "proj_clip", math.inf),
    ("lstm", "cell_clip", "9" * 10**6),
)


@pytest.mark.parametrize(("section", "key", "value"), TOO_LARGE)
def test_options_out_of_all_bounds(
    section: str, key: str, value: Any, tiny_options: dict[str, Any], tmp_path: Path
) -> None:
    tiny_options[section][key] = value
    path = tmp_path / "options.json"
    path.write_text(json.dumps(tiny_options))
    with pytest.raises(OptionsError, match=rf"options\.json: {section}\.{key} must be") as error:
        Options.read(path)
    assert len(str(error.value)) < 400


def test_options_nested_without_end(tmp_path: Path) -> None:
    (tmp_path / "options.json").write_text("[" * 100_000)
    with pytest.raises(OptionsError, match="not a JSON file"):
        Options.read(tmp_path / "options.json")


@pytest.fixture
def published(tiny_options: dict[str, Any], tmp_path: Path) -> Path:
    """A biLM in the published layout."""
    weights.write_hdf5(BiLM(tiny_options), tmp_path / "weights.hdf5")
    (tmp_path / "options.json").write_text(json.dumps(tiny_options))
    load_encoder(tmp_path)
    return tmp_path / "weights.hdf5"


def first(file: h5py.File) -> str:
    """The name of one of its datasets."""
    names: list[str] = []
    file.visititems(lambda name, item: names.append(name) if hasattr(item, "shape") else None)
    return names[0]


@pytest.mark.parametrize("kind", ["external", "virtual"])
def test_numbers_of_another_file_are_not_read(kind: str, published: Path, tmp_path: Path) -> None:
    other = tmp_path / "secret"
    with h5py.File(published, "r+") as file:
        name = first(file)
        shape, dtype = file[name].shape, file[name].dtype
        del file[name]
        if kind == "external":
            other.write_bytes(bytes(int(np.prod(shape)) * 4))
            file.create_dataset(name, shape, dtype, external=[(str(other), 0, h5py.h5f.UNLIMITED)])
        else:
            with h5py.File(other, "w") as source:
                source.create_dataset("x", data=np.zeros(shape, dtype))
            layout = h5py.VirtualLayout(shape, dtype)
            layout[...] = h5py.VirtualSource(other, "x", shape)
            file.create_virtual_dataset(name, layout)
    with pytest.raises(WeightsError, match=rf"weights\.hdf5: tensor {name} lies in another file"):
        load_encoder(published.parent)


@pytest.mark.parametrize("content", [np.array([b"text"] * 4), np.zeros(4, int)])
def test_numbers_of_another_kind_are_named(content: Any, published: Path) -> None:
    with h5py.File(published, "r+") as file:
        name = first(file)
        shape = file[name].shape
        del file[name]
        file.create_dataset(name, data=np.resize(content, shape), dtype=content.dtype)
    with pytest.raises(WeightsError, match=r"weights\.hdf5"):
        load_encoder(published.parent)


@pytest.mark.parametrize("kind", ["cut", "emptied", "garbage"])
@pytest.mark.parametrize("form", ["hdf5", "safetensors"])
def test_a_damaged_file_is_named(kind: str, form: str, published: Path, tmp_path: Path) -> None:
    path = published
    if form == "safetensors":
        path = tmp_path / "own.safetensors"
        weights.save(weights.load_hdf5(Options.read(tmp_path / "options.json"), published), path)
    KINDS[kind](path)
    with pytest.raises((WeightsError, OptionsError), match=path.name) as error:
        load_encoder(path if form == "safetensors" else path.parent)
    assert "\n" not in str(error.value)
