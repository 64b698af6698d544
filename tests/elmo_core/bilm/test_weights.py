"""Weights on disk: both formats, round trips, and files that are wrong."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import pytest
import safetensors.torch
import torch

from elmo_core.bilm import hdf5_layout, weights
from elmo_core.bilm.bilm import BiLM
from elmo_core.errors import ElmoCoreError, WeightsError


@pytest.fixture
def bilm(make_bilm: Callable[..., BiLM]) -> BiLM:
    model = make_bilm()
    for tensor in model.state_dict().values():
        tensor.uniform_(-1, 1, generator=torch.Generator().manual_seed(tensor.numel()))
    return model


def same(a: BiLM, b: BiLM) -> bool:
    left, right = a.state_dict(), b.state_dict()
    assert left.keys() == right.keys()
    return all(torch.equal(left[name], right[name]) for name in left)


def test_both_formats_round_trip_bit_for_bit(tmp_path: Path, bilm: BiLM) -> None:
    weights.save(bilm, tmp_path / "a.safetensors")
    first = weights.load(tmp_path / "a.safetensors")
    weights.write_hdf5(first, tmp_path / "b.hdf5")
    second = weights.load_hdf5(first.options, tmp_path / "b.hdf5")
    assert same(bilm, first)
    assert same(bilm, second)
    assert weights.fingerprint(bilm) == weights.fingerprint(first) == weights.fingerprint(second)


def test_the_published_file_round_trips_bit_for_bit(tmp_path: Path, reference: Path) -> None:
    options = weights.Options.read(reference / "options.json")
    model = weights.load_hdf5(options, reference / "lm_weights.hdf5")
    weights.write_hdf5(model, tmp_path / "copy.hdf5")
    with h5py.File(reference / "lm_weights.hdf5") as old, h5py.File(tmp_path / "copy.hdf5") as new:
        for name in hdf5_layout.shapes(options):
            assert (old[name][()] == new[name][()]).all(), name


def test_the_fingerprint_tells_weights_and_options_apart(make_bilm: Callable[..., BiLM]) -> None:
    prints = {
        weights.fingerprint(make_bilm()),
        weights.fingerprint(make_bilm(seed=1)),
        weights.fingerprint(make_bilm(cell_clip=2)),
        weights.fingerprint(make_bilm(use_skip_connections=False)),
    }
    assert len(prints) == 4


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_files_are_widened(tmp_path: Path, bilm: BiLM, dtype: torch.dtype) -> None:
    path = tmp_path / "half.safetensors"
    rewrite(bilm, path, {name: t.to(dtype) for name, t in bilm.state_dict().items()})
    loaded = weights.load(path)
    for name, tensor in loaded.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, bilm.state_dict()[name].to(dtype).float())


def test_nothing_half_written_is_left(
    tmp_path: Path, bilm: BiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deep" / "er" / "a.safetensors"
    weights.save(bilm, path)
    before = path.read_bytes()

    def fails(target: Path, content: bytes) -> None:
        target.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fails)
    with pytest.raises(OSError, match="No space"):
        weights.save(bilm, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_files_are_for_those_whom_the_umask_names(tmp_path: Path, bilm: BiLM) -> None:
    before = os.umask(0o027)
    try:
        weights.save(bilm, tmp_path / "a.safetensors")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.safetensors").stat().st_mode) == 0o640


def test_a_file_that_may_not_be_read_is_not_called_damaged(
    tmp_path: Path, bilm: BiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.safetensors"
    weights.save(bilm, path)

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(WeightsError, match=r"cannot be read \(Permission denied\)"):
        weights.load(path)


def test_flipped_bytes(tmp_path: Path, bilm: BiLM) -> None:
    """Whatever h5py raises for what they make of a header."""
    path = tmp_path / "a.hdf5"
    weights.write_hdf5(bilm, path)
    whole = path.read_bytes()
    for place in range(880, 900):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with suppress(WeightsError):
            weights.load_hdf5(bilm.options, path)


def rewrite(bilm: BiLM, path: Path, state: dict[str, torch.Tensor], **metadata: str) -> None:
    options = bilm.options.canonical()
    safetensors.torch.save_file(
        state, path, {"format": weights.FORMAT, "options": options, **metadata}
    )


NAME = "forward_lstm.1.projection"


def change(state: dict[str, torch.Tensor], how: str) -> None:
    if how == "missing":
        del state[NAME]
    elif how == "additional":
        state["softmax.weight"] = torch.zeros(2, 3)
    elif how == "transposed":
        state[NAME] = state[NAME].t().contiguous()
    elif how == "whole numbers":
        state[NAME] = state[NAME].long()
    elif how == "not finite":
        state[NAME] = torch.full_like(state[NAME], float("nan"))


CHANGES = [
    ("missing", rf"{NAME} is missing; the options ask for shape \(8, 24\)"),
    ("additional", r"softmax.weight of shape \(2, 3\) has no place"),
    ("transposed", rf"{NAME} has shape \(24, 8\), the options ask for \(8, 24\)"),
    ("whole numbers", rf"{NAME} holds torch.int64"),
    ("not finite", rf"{NAME} holds numbers that are not finite"),
]


@pytest.mark.parametrize(("how", "message"), CHANGES)
def test_wrong_tensors_are_named(tmp_path: Path, bilm: BiLM, how: str, message: str) -> None:
    state = dict(bilm.state_dict())
    change(state, how)
    path = tmp_path / "a.safetensors"
    rewrite(bilm, path, state)
    with pytest.raises(WeightsError, match=message) as caught:
        weights.load(path)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, ElmoCoreError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"format": "other"}, "not a biLM written by this program"),
        ({"options": "{"}, "options in its metadata"),
        ({"options": "{}"}, "options: missing key char_cnn"),
    ],
)
def test_wrong_metadata(tmp_path: Path, bilm: BiLM, metadata: dict[str, str], message: str) -> None:
    path = tmp_path / "a.safetensors"
    rewrite(bilm, path, dict(bilm.state_dict()), **metadata)
    with pytest.raises(ElmoCoreError, match=message):
        weights.load(path)


@pytest.mark.parametrize("kept", [0, 4, 100, 0.5, 0.99])
def test_truncated_files(tmp_path: Path, bilm: BiLM, kept: int | float) -> None:
    for path, write in ((tmp_path / "a.safetensors", weights.save), (tmp_path / "a.hdf5", None)):
        (write or weights.write_hdf5)(bilm, path)
        whole = path.read_bytes()
        path.write_bytes(whole[: kept if isinstance(kept, int) else int(kept * len(whole))])
        with pytest.raises(WeightsError, match=f"{path.name}: damaged"):
            weights.load(path) if write else weights.load_hdf5(bilm.options, path)


def test_hdf5_of_another_shape_or_with_other_datasets(
    tmp_path: Path, bilm: BiLM, make_bilm: Callable[..., BiLM]
) -> None:
    path = tmp_path / "a.hdf5"
    weights.write_hdf5(bilm, path)
    other = make_bilm(dim=32).options
    message = r"LSTMCell/W_0 has shape \(16, 96\), the options ask for \(16, 128\)"
    with pytest.raises(WeightsError, match=message):
        weights.load_hdf5(other, path)
    with pytest.raises(WeightsError, match="Cell2/LSTMCell/W_0 is missing"):
        weights.load_hdf5(make_bilm(n_layers=3).options, path)
    with pytest.raises(WeightsError, match=r"Cell1/LSTMCell/B of shape \(96,\) has no place"):
        weights.load_hdf5(make_bilm(n_layers=1).options, path)


def test_missing_files(tmp_path: Path, bilm: BiLM) -> None:
    with pytest.raises(WeightsError, match="no such file"):
        weights.load(tmp_path / "a.safetensors")
    with pytest.raises(WeightsError, match="no such file"):
        weights.load_hdf5(bilm.options, tmp_path / "a.hdf5")


def test_a_pickle_is_never_opened(tmp_path: Path, bilm: BiLM) -> None:
    path = tmp_path / "a.safetensors"
    torch.save(bilm.state_dict(), path)
    with pytest.raises(WeightsError, match="damaged"):
        weights.load(path)


def test_the_options_travel_with_the_weights(tmp_path: Path, bilm: BiLM) -> None:
    path = tmp_path / "a.safetensors"
    weights.save(bilm, path)
    with safetensors.safe_open(str(path), framework="pt") as file:
        assert json.loads(file.metadata()["options"]) == bilm.options.published()
    assert weights.load(path).options == bilm.options
