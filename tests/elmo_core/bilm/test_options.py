"""The published options, read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elmo_core.bilm.options import Options
from elmo_core.downloads.presets import PRESETS
from elmo_core.errors import ElmoCoreError, OptionsError


def test_reading(tiny_options: dict[str, Any]) -> None:
    options = Options.parse(tiny_options)
    assert options.filters == ((1, 4), (2, 6), (3, 8))
    assert options.filters_total == 18
    assert (options.cells, options.projection_dim, options.depth) == (24, 8, 2)
    assert Options.parse(options.published()) == options


def test_what_does_not_change_the_numbers_is_equal(tiny_options: dict[str, Any]) -> None:
    expected = Options.parse(tiny_options).canonical()
    tiny_options["char_cnn"]["n_characters"] = 261
    tiny_options["lstm"]["cell_clip"] = 3.0
    tiny_options.update(n_epochs=10, bidirectional=True, unroll_steps=20)
    assert Options.parse(tiny_options).canonical() == expected


def test_no_clipping(tiny_options: dict[str, Any]) -> None:
    tiny_options["lstm"]["cell_clip"] = tiny_options["lstm"]["proj_clip"] = None
    options = Options.parse(tiny_options)
    assert options.cell_clip is None
    assert options.proj_clip is None


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_understood(name: str) -> None:
    assert Options.parse(PRESETS[name].options).depth == 2


@pytest.mark.parametrize(
    ("section", "key", "value", "message"),
    [
        ("lstm", "cell_clp", 3, "unknown key lstm.cell_clp; did you mean 'cell_clip'"),
        ("lstm", "dim", "64", "lstm.dim must be a whole number of at least 1, got '64'"),
        ("lstm", "n_layers", 0, "lstm.n_layers must be"),
        ("lstm", "proj_clip", -1, "lstm.proj_clip must be a positive number or null, got -1"),
        ("lstm", "use_skip_connections", 1, "use_skip_connections must be true or false"),
        ("char_cnn", "activation", "gelu", "activation must be relu or tanh, got 'gelu'"),
        ("char_cnn", "n_characters", 300, "n_characters must be 261 or 262"),
        ("char_cnn", "filters", [[51, 4]], "filters must be pairs of a width from 1 to 50"),
        ("char_cnn", "filters", [1, 2], "filters must be a list of"),
        ("char_cnn", "filters", [], "filters must be"),
        ("char_cnn", "filters", [[1.9, 4]], "filters must be a list of .* whole numbers"),
        ("char_cnn", "filters", [[True, "7"]], "filters must be a list of .* whole numbers"),
        ("char_cnn", "embedding", 4, "char_cnn.embedding must be a JSON object"),
    ],
)
def test_errors_name_the_entry(
    tiny_options: dict[str, Any], section: str, key: str, value: Any, message: str
) -> None:
    tiny_options[section][key] = value
    with pytest.raises(OptionsError, match=message):
        Options.parse(tiny_options)


def test_missing_and_unknown_keys(tiny_options: dict[str, Any]) -> None:
    with pytest.raises(OptionsError, match="unknown key lsmt; did you mean 'lstm'"):
        Options.parse({**tiny_options, "lsmt": {}})
    with pytest.raises(OptionsError, match="one direction"):
        Options.parse({**tiny_options, "bidirectional": False})
    del tiny_options["lstm"]["proj_clip"]
    with pytest.raises(OptionsError, match=r"missing key lstm\.proj_clip"):
        Options.parse(tiny_options)


def test_files(tmp_path: Path, tiny_options: dict[str, Any]) -> None:
    path = tmp_path / "options.json"
    with pytest.raises(ElmoCoreError, match=r"options\.json: cannot be read"):
        Options.read(path)
    path.write_text('{"lstm": ')
    with pytest.raises(ValueError, match=r"options\.json: not a JSON file"):
        Options.read(path)
    path.write_text("[]")
    with pytest.raises(OptionsError, match=r"options\.json: the file must be a JSON object"):
        Options.read(path)
    path.write_text(json.dumps(tiny_options))
    assert Options.read(path) == Options.parse(tiny_options)
