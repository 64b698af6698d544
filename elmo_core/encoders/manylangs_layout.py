"""The files of an ELMoForManyLangs model (Che et al. 2018): settings, dictionaries, weights.

    config.json                         names the settings' file, on the machine of its training
    cnn_50_100_512_4096_sample.json     the settings; the published models come without it
    char.dic  word.dic                  character or word, tab, number
    token_embedder.pkl  encoder.pkl     state dicts as PyTorch saves them, read without running code

Everything is as github.com/HIT-SCIR/ELMoForManyLangs reads it (`elmo.py`, `frontend.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os.path import isfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from elmo_core.bilm.options import WIDEST, Options, read_json
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.state_dicts import read_state

CONFIG = "config.json"
PUBLISHED = "cnn_50_100_512_4096_sample.json"
"""The settings of all published models, which their program has, and not their folders."""
SIZES: dict[str, Any] = {
    "encoder": {
        "name": "elmo",
        "projection_dim": 512,
        "cell_clip": 3,
        "proj_clip": 3,
        "dim": 4096,
        "n_layers": 2,
    },
    "token_embedder": {
        "name": "cnn",
        "activation": "relu",
        "filters": [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]],
        "n_highway": 2,
        "word_dim": 100,
        "char_dim": 50,
        "max_characters_per_token": 50,
    },
}
BOUNDARIES = ("<bos>", "<eos>")
MARKS = ("<bow>", "<eow>", "<oov>", "<pad>")
_TOKENS = {
    "word_emb_layer.embedding": "words",
    "char_emb_layer.embedding": "characters",
    "convolutions": "filters",
    "highways._layers": "highways",
    "projection": "projection",
}
_LSTM = {
    "input_linearity.weight": "input_weight",
    "state_linearity.weight": "recurrent_weight",
    "state_linearity.bias": "bias",
    "state_projection.weight": "projection",
}
DIGITS = 9
"""Of a row's number, at most."""

STRIPPED = "\u3000"
"""The key of a line without one: a white space character, which was stripped with the rest."""


@dataclass(frozen=True)
class Settings:
    """The shape of a model. `word_dim` or `options.char_dim` is 0 if it has no such vectors."""

    options: Options
    word_dim: int


def read_settings(folder: Path) -> Settings:
    """Read the settings that `config.json` names from the folder, or take the published ones.

    Raises OptionsError for files and entries that are missing, and for other architectures.
    """
    config = _object(folder / CONFIG)
    named = str(config.get("config_path", "")).replace("\\", "/").rpartition("/")[2]
    path = folder / named if named else folder / PUBLISHED
    there = isfile(path)  # of a name that no file can have, `path.is_file` raises
    if not there and path.name != PUBLISHED:
        raise OptionsError(
            f"{folder / CONFIG}: its config_path is {named}, which is not in the folder: put it "
            "there"
        )
    return _settings(_object(path) if there else SIZES, path)


def _settings(raw: Mapping[str, Any], path: Path) -> Settings:
    try:
        encoder, tokens = raw["encoder"], raw["token_embedder"]
        kinds = (str(encoder["name"]).lower(), str(tokens["name"]).lower())
        if kinds != ("elmo", "cnn"):
            raise OptionsError(
                f"{path}: encoder {kinds[0]!r} and token_embedder {kinds[1]!r}: only 'elmo' and "
                "'cnn', which the published models are, can be read"
            )
        options = {
            "lstm": {
                "dim": encoder["dim"],
                "projection_dim": encoder["projection_dim"],
                "n_layers": encoder["n_layers"],
                "cell_clip": encoder["cell_clip"] or None,
                "proj_clip": encoder["proj_clip"] or None,
                "use_skip_connections": True,
            },
            "char_cnn": {
                "activation": tokens["activation"],
                "embedding": {"dim": tokens["char_dim"] or 1},
                "filters": tokens["filters"],
                "max_characters_per_token": tokens["max_characters_per_token"],
                "n_characters": 262,
                "n_highway": tokens["n_highway"],
            },
        }
        char_dim, word_dim = tokens["char_dim"], tokens["word_dim"]
    except KeyError as error:
        raise OptionsError(f"{path}: missing key {error.args[0]}") from error
    except TypeError as error:
        raise OptionsError(f"{path}: not the settings of such a model ({error})") from error
    if not isinstance(word_dim, int) or not 0 <= word_dim <= WIDEST:
        raise OptionsError(f"{path}: word_dim must be from 0 to {WIDEST}, got {word_dim!r}")
    parsed = Options.parse(options, str(path))
    if not (char_dim or word_dim):
        raise OptionsError(f"{path}: char_dim and word_dim are both 0")
    return Settings(replace(parsed, char_dim=char_dim), word_dim)


def _object(path: Path) -> dict[str, Any]:
    raw = read_json(path)
    if not isinstance(raw, dict):
        raise OptionsError(f"{path}: must be a JSON object")
    return raw


def read_dictionary(path: Path, needed: tuple[str, ...]) -> dict[str, int]:
    """Return the embedding's row of each character or word; if one comes twice, the last counts.

    Raises WeightsError, naming file and line, and where one of the `needed` keys is missing.
    """
    found: dict[str, int] = {}
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsError(f"{path}: cannot be read ({error})") from error
    for number, line in enumerate(lines, start=1):
        *key, row = line.strip().split("\t")
        if len(key) > 1 or not row.isdecimal() or len(row) > DIGITS:
            raise WeightsError(f"{path}, line {number}: expected a key, a tab and a number")
        found[key[0] if key else STRIPPED] = int(row)
    if any(row >= len(found) for row in found.values()):
        raise WeightsError(f"{path}: has {len(found)} keys, and a row beyond them")
    missing = [key for key in needed if key not in found]
    if missing:
        raise WeightsError(f"{path}: has no {' and no '.join(missing)}")
    return found


def read_tokens(path: Path) -> dict[str, Tensor]:
    """Return the token layer's part of a `ManyLangsBiLM`'s state dict. Raises WeightsError."""
    ours: dict[str, Tensor] = {}
    for key, tensor in read_state(path).items():
        theirs = next((prefix for prefix in _TOKENS if key.startswith(f"{prefix}.")), None)
        if theirs is None:
            raise WeightsError(f"{path}: tensor {key} has no place in such a model")
        ours[f"tokens.{_TOKENS[theirs]}{key.removeprefix(theirs)}"] = tensor
    return ours


def read_lstms(path: Path, options: Options) -> dict[str, Tensor]:
    """Return the LSTMs' part: `forward_lstm.0.bias`, and so on. Raises WeightsError.

    Their gates stand in the order i, f, j (candidate), o, ours in i, j, f, o; and their bias has
    the 1 of the forget gate in it, ours has not.
    """
    state = read_state(path)
    ours: dict[str, Tensor] = {}
    for direction in ("forward", "backward"):
        for k in range(options.depth):
            for theirs, own in _LSTM.items():
                name = f"{direction}_layer_{k}.{theirs}"
                if name not in state:
                    raise WeightsError(f"{path}: tensor {name} is missing")
                tensor = state.pop(name)
                if own != "projection":
                    if tensor.ndim == 0 or len(tensor) % 4:
                        shape = tuple(tensor.shape)
                        raise WeightsError(f"{path}: tensor {name} of shape {shape} has no 4 gates")
                    i, f, j, o = tensor.chunk(4)
                    tensor = torch.cat([i, j, f - 1.0 if own == "bias" else f, o])
                ours[f"{direction}_lstm.{k}.{own}"] = tensor
    if state:
        raise WeightsError(f"{path}: tensor {next(iter(state))} has no place in such a model")
    return ours
