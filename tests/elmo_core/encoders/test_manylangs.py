"""ELMoForManyLangs against its equations, written once more, a word and a number at a time."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from elmo_core.encoders.manylangs import load_manylangs
from elmo_core.encoders.manylangs_layout import SIZES, read_dictionary
from elmo_core.errors import OptionsError, WeightsError
from tests.manylangs_files import LETTERS, SETTINGS, WORDS, manylangs

SENTENCES = [
    ["the", "bank", "closed", "."],
    ["река", "течёт"],
    ["银行", "关门"],
    ["extraordinary", "extraordinarily"],  # longer than ten characters: cut, in both dictionaries
    ["<bos>", "the", "<eos>"],
    ["x"],
    ["a"] * 15,
]


def changed(part: str, **values: Any) -> dict[str, Any]:
    return {**SETTINGS, part: {**SETTINGS[part], **values}}


# -- the reference: `frontend.py`, `modules/token_embedder.py`, `highway.py`, `elmo.py` and
# `lstm_cell_with_projection.py` of HIT-SCIR/ELMoForManyLangs, as equations


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def token(word: str, state: dict[str, np.ndarray], sizes: dict[str, Any]) -> np.ndarray:
    """[e_w; highway(max-pooled CNN of <eow> c₁ … cₙ <bow> <pad> …)] W + b"""
    width, parts = sizes["max_characters_per_token"], []
    word = word[: width - 2] if len(word) + 2 > width else word
    if sizes["word_dim"]:
        row = WORDS.index(word) if word in WORDS else WORDS.index("<oov>")
        parts.append(state["word_emb_layer.embedding.weight"][row])
    if sizes["char_dim"]:
        letters = [word] if word in ("<bos>", "<eos>") else list(word)
        letters = ["<eow>", *(c if c in LETTERS else "<oov>" for c in letters), "<bow>"]
        letters += ["<pad>"] * (width - len(letters))
        vectors = state["char_emb_layer.embedding.weight"][[LETTERS.index(c) for c in letters]]
        pooled = []
        for k, (size, number) in enumerate(sizes["filters"]):
            weight, bias = state[f"convolutions.{k}.weight"], state[f"convolutions.{k}.bias"]
            for n in range(number):
                windows = [vectors[p : p + size] for p in range(width - size + 1)]
                pooled.append(max((weight[n].T * window).sum() for window in windows) + bias[n])
        x = np.array(pooled)
        x = np.maximum(x, 0) if sizes["activation"] == "relu" else np.tanh(x)
        for k in range(sizes["n_highway"]):
            y = state[f"highways._layers.{k}.weight"] @ x + state[f"highways._layers.{k}.bias"]
            gate = sigmoid(y[len(x) :])
            x = gate * x + (1 - gate) * np.maximum(y[: len(x)], 0)
        parts.append(x)
    return state["projection.weight"] @ np.concatenate(parts) + state["projection.bias"]


def direction(
    inputs: list[np.ndarray], state: dict[str, np.ndarray], name: str, sizes: dict[str, Any]
) -> list[list[np.ndarray]]:
    """The outputs of each layer; from the second layer on, its input is added."""
    layers = []
    clip = lambda x, bound: np.clip(x, -bound, bound) if bound else x  # noqa: E731
    for k in range(sizes["n_layers"]):
        weights = {
            key.split(".", 1)[1]: w for key, w in state.items() if f"{name}_layer_{k}." in key
        }
        hidden, memory, outputs = np.zeros(sizes["projection_dim"]), np.zeros(sizes["dim"]), []
        for x in inputs:
            gates = weights["input_linearity.weight"] @ x + weights["state_linearity.bias"]
            i, f, m, o = np.split(gates + weights["state_linearity.weight"] @ hidden, 4)
            memory = clip(sigmoid(i) * np.tanh(m) + sigmoid(f) * memory, sizes["cell_clip"])
            hidden = weights["state_projection.weight"] @ (sigmoid(o) * np.tanh(memory))
            hidden = clip(hidden, sizes["proj_clip"])
            outputs.append(hidden + x if k > 0 else hidden)
        layers.append(outputs)
        inputs = outputs
    return layers


def reference(folder: Path, settings: dict[str, Any], words: list[str]) -> np.ndarray:
    """(layers, tokens, dim), in double precision"""
    tokens, lstms = (
        {
            key: value.double().numpy()
            for key, value in torch.load(folder / name, weights_only=True).items()
        }
        for name in ("token_embedder.pkl", "encoder.pkl")
    )
    x = [token(word, tokens, settings["token_embedder"]) for word in ["<bos>", *words, "<eos>"]]
    ahead = direction(x, lstms, "forward", settings["encoder"])
    back = direction(x[::-1], lstms, "backward", settings["encoder"])
    layers = [np.concatenate([x, x], axis=1)]
    for left, right in zip(ahead, back, strict=True):
        layers.append(np.concatenate([left, right[::-1]], axis=1))
    return np.stack(layers)[:, 1:-1]


# -- the tests


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        changed("token_embedder", activation="tanh", n_highway=1),
        changed("token_embedder", word_dim=0),
        changed("token_embedder", char_dim=0),
        changed("encoder", n_layers=3, cell_clip=0.2, proj_clip=0),
    ],
    ids=["published", "tanh", "characters", "words", "deep"],
)
def test_layers_are_those_of_the_equations(settings: dict[str, Any], tmp_path: Path) -> None:
    folder = manylangs(tmp_path / "xx", settings)
    encoder = load_manylangs(folder)
    assert (encoder.layers, encoder.dim) == (1 + settings["encoder"]["n_layers"], 12)
    for words, layers in zip(SENTENCES, encoder.encode(SENTENCES), strict=True):
        expected = reference(folder, settings, words)
        np.testing.assert_allclose(layers.numpy(), expected, atol=2e-6, rtol=0)


def test_both_clips_are_reached(tmp_path: Path) -> None:
    """Without them the reference would not show that they are there."""
    folder = manylangs(tmp_path / "xx")
    free = changed("encoder", proj_clip=0)
    loose = changed("encoder", cell_clip=0)
    clipped = reference(folder, SETTINGS, SENTENCES[-1])
    assert not np.allclose(clipped, reference(folder, free, SENTENCES[-1]), atol=1e-2)
    tight = changed("encoder", cell_clip=0.2)
    assert not np.allclose(
        reference(folder, tight, SENTENCES[0]), reference(folder, loose, SENTENCES[0]), atol=1e-3
    )


def test_both_file_formats_are_one_encoder(tmp_path: Path) -> None:
    old, new = manylangs(tmp_path / "old"), manylangs(tmp_path / "new", legacy=False)
    assert load_manylangs(old).fingerprint == load_manylangs(new).fingerprint
    assert load_manylangs(old).name == "old"


@pytest.mark.parametrize("letter", ["\u2028", "\x85", "\x1c", "\v"])
def test_a_dictionary_holds_what_ends_lines_elsewhere(letter: str, tmp_path: Path) -> None:
    path = tmp_path / "char.dic"
    path.write_text(f"x\t0\na{letter}b\t1\n", encoding="utf-8")
    assert read_dictionary(path, ("x",)) == {"x": 0, f"a{letter}b": 1}


@pytest.mark.parametrize("row", ["9" * 5000, "-1", "²", "1.0", ""])
def test_a_row_of_a_dictionary_is_a_number(row: str, tmp_path: Path) -> None:
    path = tmp_path / "char.dic"
    path.write_text(f"x\t0\ny\t{row}\n", encoding="utf-8")
    with pytest.raises(WeightsError, match=r"char\.dic, line 2: expected a key"):
        read_dictionary(path, ("x",))


def test_a_dictionary_line_without_its_white_space(tmp_path: Path) -> None:
    """The ideographic space, stripped when the line was, is what it stands for."""
    folder = manylangs(tmp_path / "xx")
    text = (folder / "char.dic").read_text(encoding="utf-8")
    (folder / "char.dic").write_text(text.replace("z\t", "\u3000\t"), encoding="utf-8")
    encoder = load_manylangs(folder)
    assert encoder.spelling.spelled("\u3000")[1] == LETTERS.index("z")
    assert encoder.spelling.spelled("z")[1] == LETTERS.index("<oov>")


def test_the_published_settings_are_known(tmp_path: Path) -> None:
    """Folders come without the file that config.json names, on a machine of 2018."""
    folder = manylangs(tmp_path / "xx")
    path = {"config_path": "/elsewhere/cnn_50_100_512_4096_sample.json"}
    (folder / "config.json").write_text(json.dumps(path))
    with pytest.raises(WeightsError, match="the weights do not fit the settings"):
        load_manylangs(folder)
    assert sum(number for _, number in SIZES["token_embedder"]["filters"]) + 100 == 2148


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (changed("token_embedder", name="lstm"), "token_embedder 'lstm'.*only 'elmo' and 'cnn'"),
        ({"encoder": SETTINGS["encoder"]}, "cnn_small.json: missing key token_embedder"),
        (changed("token_embedder", filters="wide"), "filters must be"),
        (changed("token_embedder", char_dim=0, word_dim=0), "both 0"),
        (changed("token_embedder", word_dim="wide"), "word_dim must be from 0 to 65536"),
        (changed("token_embedder", word_dim=-1), "word_dim must be from 0 to 65536"),
        (changed("token_embedder", word_dim=float("nan")), "not a JSON file"),
    ],
)
def test_settings_that_cannot_be_read(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = manylangs(tmp_path / "xx")
    (folder / "cnn_small.json").write_text(json.dumps(settings))
    with pytest.raises(OptionsError, match=message):
        load_manylangs(folder)


def test_files_that_are_wrong_are_named(tmp_path: Path) -> None:
    folder = manylangs(tmp_path / "xx")
    (folder / "cnn_small.json").rename(folder / "elsewhere.json")
    with pytest.raises(OptionsError, match=r"config_path is cnn_small.json.*put it there"):
        load_manylangs(folder)
    (folder / "elsewhere.json").rename(folder / "cnn_small.json")
    config = (folder / "config.json").read_bytes()
    (folder / "config.json").write_text(json.dumps({"config_path": "x" * 5000}))
    with pytest.raises(OptionsError, match=r"config\.json: its config_path is xxx.*put it there"):
        load_manylangs(folder)
    (folder / "config.json").write_bytes(config)
    for name, content, message in [
        ("word.dic", "the 4\n", "word.dic, line 1: expected a key, a tab"),
        ("word.dic", "the\t0\n", "word.dic: has no <oov> and no <pad>"),
        ("word.dic", "<oov>\t0\n<pad>\t7\n", "a row beyond"),
        ("encoder.pkl", "text", "encoder.pkl: damaged"),
    ]:
        before = (folder / name).read_bytes()
        (folder / name).write_text(content)
        with pytest.raises(WeightsError, match=message):
            load_manylangs(folder)
        (folder / name).write_bytes(before)
    state = torch.load(folder / "encoder.pkl", weights_only=True)
    for key, message in [("forward_layer_0.more", "no place"), ("gone", "is missing")]:
        other = dict(state)
        if key == "gone":
            del other["backward_layer_1.state_projection.weight"]
        else:
            other[key] = torch.zeros(1)
        torch.save(other, folder / "encoder.pkl")
        with pytest.raises(WeightsError, match=message):
            load_manylangs(folder)
    name = "forward_layer_0.state_linearity.bias"
    for other, message in (
        ({**state, name: torch.zeros(5)}, rf"tensor {name} of shape \(5,\) has no 4 gates"),
        ({**state, name: torch.tensor(1.0)}, rf"tensor {name} of shape \(\) has no 4 gates"),
        ({3: torch.zeros(4)}, "no state dict"),
    ):
        torch.save(other, folder / "encoder.pkl")
        with pytest.raises(WeightsError, match=message):
            load_manylangs(folder)
    with pytest.raises(OptionsError, match="needs its folder"):
        load_manylangs(None)
    with pytest.raises(OptionsError, match="no such folder"):
        load_manylangs(tmp_path / "yy")


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("exploded"),))


def test_code_in_a_file_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = manylangs(tmp_path / "xx")
    (folder / "encoder.pkl").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(WeightsError, match=r"encoder\.pkl: damaged"):
        load_manylangs(folder)
    torch.save({"forward_layer_0": Bomb()}, folder / "encoder.pkl")
    with pytest.raises(WeightsError, match=r"encoder\.pkl: damaged"):
        load_manylangs(folder)
    assert not (tmp_path / "exploded").exists()
