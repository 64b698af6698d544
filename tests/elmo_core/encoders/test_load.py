"""load_encoder: names, files, folders, and what it says when it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core import ElmoCoreError, load_encoder
from elmo_core.bilm import weights
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.char_cnn import CharCNN
from elmo_core.bilm.weights import fingerprint
from elmo_core.downloads import cache
from elmo_core.downloads.presets import PRESETS, preset
from elmo_core.encoders.manylangs import load_manylangs
from elmo_core.encoders.random import random_elmo
from elmo_core.errors import FetchError, OptionsError, WeightsError


@pytest.fixture
def bilm(make_bilm: Callable[..., BiLM]) -> BiLM:
    return make_bilm()


@pytest.fixture
def folder(tmp_path: Path, bilm: BiLM) -> Path:
    """A folder with the published pair of files."""
    weights.write_hdf5(bilm, tmp_path / "pair" / "weights.hdf5")
    (tmp_path / "pair" / "options.json").write_text(json.dumps(bilm.options.published()))
    return tmp_path / "pair"


def test_every_way_leads_to_the_same_encoder(tmp_path: Path, folder: Path, bilm: BiLM) -> None:
    own = tmp_path / "own" / "encoder.safetensors"
    weights.save(bilm, own)
    options, hdf5 = folder / "options.json", folder / "weights.hdf5"
    encoders = [
        load_encoder(folder),
        load_encoder(str(own)),
        load_encoder(own.parent),
        load_encoder(weights=own),
        load_encoder(options=options, weights=hdf5),
        load_encoder(options=bilm.options.published(), weights=str(hdf5)),
    ]
    assert {encoder.fingerprint for encoder in encoders} == {weights.fingerprint(bilm)}
    assert {(encoder.layers, encoder.dim) for encoder in encoders} == {(3, 16)}
    assert [encoder.name for encoder in encoders[:3]] == ["pair", "encoder", "own"]


def test_nobody_s_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("ELMO_BENCH_CACHE", raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.raises(FetchError, match="Set ELMO_BENCH_CACHE"):
        cache.cache_folder()


def test_a_folder_with_the_published_names(folder: Path, bilm: BiLM) -> None:
    for each in list(folder.iterdir()):
        each.rename(folder / f"elmo_2x1024_128_2048cnn_1xhighway_{each.name}")
        (folder / f"._elmo_2x1024_128_2048cnn_1xhighway_{each.name}").touch()  # a Mac's
    assert load_encoder(folder).fingerprint == weights.fingerprint(bilm)


def test_a_path_is_never_the_name_of_a_preset(
    tmp_path: Path, bilm: BiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WeightsError, match="elmo-mini: no such file or folder"):
        load_encoder(Path("./elmo-mini"))
    weights.save(bilm, tmp_path / "elmo-mini" / "encoder.safetensors")
    assert load_encoder(Path("./elmo-mini")).fingerprint == weights.fingerprint(bilm)
    assert load_encoder("elmo-mini").fingerprint != weights.fingerprint(bilm)


def test_a_home_folder_is_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    encoder = load_encoder(options="~/options.json", weights="~/weights.hdf5")
    assert encoder.fingerprint == load_encoder(folder).fingerprint


def test_a_preset_is_taken_from_the_cache_first(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.rename(tmp_path / "elmo-small")
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    encoder = load_encoder("elmo-small", offline=True)
    assert encoder.name == "elmo-small"
    assert load_encoder("elmo-small", cache_dir=tmp_path).fingerprint == encoder.fingerprint


def test_offline_says_which_file_belongs_where(tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        load_encoder("elmo-small", cache_dir=tmp_path, offline=True)
    message = str(caught.value)
    assert str(tmp_path / "elmo-small" / "options.json") in message
    assert f"{PRESETS['elmo-small'].url}options.json" in message


def test_a_preset_that_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_PACKAGED", tmp_path / "nowhere")
    with pytest.raises(FetchError, match="elmo-mini is not published yet"):
        load_encoder("elmo-mini", cache_dir=tmp_path)


def test_a_preset_that_comes_with_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bilm: BiLM
) -> None:
    monkeypatch.setattr(cache, "_PACKAGED", tmp_path)
    weights.save(bilm, tmp_path / "elmo-mini.safetensors")
    assert load_encoder("elmo-mini", offline=True).dim == 16


def test_what_it_says_when_it_cannot(tmp_path: Path, folder: Path) -> None:
    hdf5 = folder / "weights.hdf5"
    with pytest.raises(OptionsError, match="did you mean 'elmo-small'"):
        load_encoder("elmo-smal")
    with pytest.raises(OptionsError, match="either a name or path, or weights"):
        load_encoder()
    with pytest.raises(OptionsError, match="either a name or path, or weights"):
        load_encoder("elmo-small", weights=hdf5)
    with pytest.raises(OptionsError, match="options go with weights"):
        load_encoder(folder, options=folder / "options.json")
    with pytest.raises(OptionsError, match="needs its options"):
        load_encoder(weights=hdf5)
    with pytest.raises(WeightsError, match=r"no such file"):
        load_encoder(tmp_path / "gone.safetensors")
    with pytest.raises(WeightsError, match=r"expected encoder.safetensors.*found 0 .hdf5 files"):
        load_encoder(tmp_path)
    (folder / "options.json").unlink()
    with pytest.raises(ElmoCoreError, match=r"options.json: cannot be read"):
        load_encoder(folder)


def test_an_unknown_precision_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    loaders: list[Callable[..., object]] = [load_encoder, load_manylangs, random_elmo]
    for load in loaders:
        with pytest.raises(OptionsError, match="must be one of float32, bfloat16, got 'float64'"):
            load(tmp_path / "gone", precision="float64")


def test_other_weights_than_the_fingerprint_says(tmp_path: Path, bilm: BiLM) -> None:
    path = tmp_path / "encoder.safetensors"
    weights.save(bilm, path)
    whole = load_encoder(path).fingerprint
    for given in (whole, whole[:12]):
        assert load_encoder(path, fingerprint=given).fingerprint == whole
    with pytest.raises(WeightsError, match=rf"{path}: its fingerprint is {whole}, not 0123"):
        load_encoder(path, fingerprint="0123")


@pytest.mark.parametrize(
    ("name", "millions"),
    [("elmo-small", 13.6), ("elmo-medium", 28.0), ("elmo-original", 93.6), ("elmo-5.5b", 93.6)],
)
def test_presets_have_the_published_number_of_parameters(name: str, millions: float) -> None:
    assert round(PRESETS[name].parameters / 1e6, 1) == millions


@pytest.mark.parametrize("name", PRESETS)
def test_the_number_of_parameters_is_right(name: str) -> None:
    with torch.device("meta"):
        bilm = BiLM(PRESETS[name].options)
    assert sum(p.numel() for p in bilm.parameters()) == PRESETS[name].parameters


def test_a_random_encoder_is_the_same_in_another_process(tiny_options: dict[str, Any]) -> None:
    code = (
        "import json, sys; from elmo_core.bilm.weights import fingerprint; "
        "from elmo_core.encoders.random import random_elmo; "
        "made = random_elmo(json.loads(sys.argv[1]), seed=7); "
        "print(made.fingerprint, fingerprint(made.bilm))"
    )
    command = [sys.executable, "-c", code, json.dumps(tiny_options)]
    other = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    torch.manual_seed(1)
    with torch.autocast("cpu", torch.bfloat16):
        made = random_elmo(tiny_options, seed=7)
    assert [made.fingerprint, fingerprint(made.bilm)] == other
    assert random_elmo(tiny_options, seed=8).fingerprint != made.fingerprint
    assert random_elmo(tiny_options, seed=7, precision="bfloat16").fingerprint != made.fingerprint


def test_a_random_encoder_is_the_same_where_products_round_otherwise(
    tiny_options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on another processor: its runs are one cell with those of here."""
    here = random_elmo(tiny_options)
    rounded = CharCNN.forward
    monkeypatch.setattr(CharCNN, "forward", lambda *given: rounded(*given) * (1 + 1e-6))
    there = random_elmo(tiny_options)
    assert fingerprint(there.bilm) != fingerprint(here.bilm)
    assert there.fingerprint == here.fingerprint


def test_random_encoders_tell_words_apart() -> None:
    """In every layer, tokens do not share most of their vector (they do with training's weights:
    there the factor is below 0.1)."""
    encoder = random_elmo("elmo-mini")
    assert (encoder.name, encoder.layers, encoder.dim) == ("random-elmo-mini-0", 3, 256)
    sentence = ["the", "old", "singer", "from", "Ashford", "did", "not", "sell", "a", "boat", "."]
    (layers,) = encoder.encode([sentence])
    shared = layers.mean(dim=1)
    differing = layers - shared.unsqueeze(1)
    assert (differing.square().mean(dim=(1, 2)) > 0.4 * shared.square().mean(dim=1)).all()


def test_a_new_bilm_begins_as_in_the_published_program() -> None:
    state = BiLM(preset("elmo-mini").options).state_dict()
    assert state["char_cnn.embedding"].abs().max() <= 1
    assert state["char_cnn.embedding"].std() == pytest.approx(1 / 3**0.5, rel=0.05)
    assert state["char_cnn.banks.4.weight"].abs().max() <= 0.05
    assert (state["char_cnn.highways.0.carry.bias"] == -2).all()
    assert (state["char_cnn.highways.0.transform.bias"] == 0).all()
    assert state["char_cnn.highways.0.carry.weight"].std() == pytest.approx(496**-0.5, rel=0.05)
    assert state["char_cnn.projection.weight"].std() == pytest.approx(496**-0.5, rel=0.05)
    assert (state["forward_lstm.0.bias"] == 0).all()
    limit = (6 / (2 * 128 + 4 * 640)) ** 0.5
    assert state["backward_lstm.1.input_weight"].abs().max() == pytest.approx(limit, rel=0.01)


def test_a_file_of_weights_alone_is_answered_with_both_ways(tmp_path: Path) -> None:
    weights = tmp_path / "weights.hdf5"
    weights.touch()
    with pytest.raises(OptionsError, match=r"give the folder .* encoder.weights=.*weights.hdf5"):
        load_encoder(weights)
