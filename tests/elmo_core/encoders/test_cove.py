"""The MT-LSTM against a plain nn.LSTM, on files of the published layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from elmo_core.encoders import cove
from elmo_core.encoders.cove import load_cove
from elmo_core.errors import FetchError, OptionsError, WeightsError
from elmo_core.precision import exact_float32
from tests.encoder_files import glove

DIM = 5


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return glove(tmp_path / "glove.txt", DIM)


@pytest.fixture
def lstm() -> nn.LSTM:
    torch.manual_seed(0)
    return nn.LSTM(DIM, DIM, num_layers=2, bidirectional=True)


@pytest.mark.parametrize("prefix", ["", "rnn."])
@pytest.mark.parametrize("zipped", [True, False], ids=["today's format", "that of 2017"])
def test_all_layers_are_those_of_a_plain_lstm(
    tmp_path: Path, vectors: Path, lstm: nn.LSTM, prefix: str, zipped: bool
) -> None:
    state = {prefix + name: tensor for name, tensor in lstm.state_dict().items()}
    torch.save(state, tmp_path / "w.pth", _use_new_zipfile_serialization=zipped)
    encoder = load_cove(vectors, tmp_path / "w.pth")
    first = nn.LSTM(DIM, DIM, bidirectional=True)
    first.load_state_dict({k: v for k, v in lstm.state_dict().items() if "_l0" in k})
    words = ["the", "bank", "sleeps", "."]
    (got,) = encoder.encode([words])
    with torch.no_grad():
        tokens = encoder.vectors(words)
        expected = [torch.cat([tokens, tokens], -1), first(tokens)[0], lstm(tokens)[0]]
    assert (encoder.layers, encoder.dim) == (3, 2 * DIM)
    torch.testing.assert_close(got, torch.stack(expected), atol=1e-6, rtol=0)


def test_lstms_on_a_gpu_are_not_allowed_tf32() -> None:
    """cuDNN's default; a test that needs no GPU of the setting that only counts on one."""
    rnn: Any = torch.backends.cudnn.rnn
    before = rnn.fp32_precision
    with exact_float32(torch.device("cpu")):
        assert rnn.fp32_precision == "ieee"
    assert rnn.fp32_precision == before


def test_words_without_a_vector_are_zeros_and_case_is_a_choice(
    tmp_path: Path, vectors: Path, lstm: nn.LSTM
) -> None:
    torch.save(lstm.state_dict(), tmp_path / "w.pth")
    lowered = load_cove(vectors, tmp_path / "w.pth")
    cased = load_cove(vectors, tmp_path / "w.pth", lower=False)
    layers, known = lowered.encode([["gone", "The"], ["gone", "the"]])
    assert torch.equal(layers[0, 0], torch.zeros(2 * DIM))
    assert torch.equal(layers, known)
    assert not torch.equal(cased.encode([["gone", "The"]])[0], known)
    assert cased.fingerprint != lowered.fingerprint


def test_weights_and_vectors_decide_the_fingerprint(
    tmp_path: Path, vectors: Path, lstm: nn.LSTM
) -> None:
    torch.save(lstm.state_dict(), tmp_path / "w.pth")
    one = load_cove(vectors, tmp_path / "w.pth").fingerprint
    more = glove(tmp_path / "more.txt", DIM, ["the", "bank"])
    assert load_cove(more, tmp_path / "w.pth").fingerprint != one
    with torch.no_grad():
        lstm.get_parameter("bias_hh_l1_reverse")[0] += 1
    torch.save(lstm.state_dict(), tmp_path / "w.pth")
    assert load_cove(vectors, tmp_path / "w.pth").fingerprint != one


def test_the_published_sizes() -> None:
    lstm = nn.LSTM(300, 300, num_layers=2, bidirectional=True, device="meta")
    assert sum(p.numel() for p in lstm.parameters()) == 3_609_600  # 14 MB


def test_files_that_are_something_else(tmp_path: Path, vectors: Path, lstm: nn.LSTM) -> None:
    path = tmp_path / "w.pth"
    with pytest.raises(WeightsError, match=r"w\.pth: no such file"):
        load_cove(vectors, path)
    path.write_bytes(b"\x80\x02not a state dict")
    with pytest.raises(WeightsError, match=r"w\.pth: damaged, or no state dict"):
        load_cove(vectors, path)
    torch.save([1, 2], path)
    with pytest.raises(WeightsError, match=r"w\.pth: damaged, or no state dict"):
        load_cove(vectors, path)
    torch.save(nn.LSTM(DIM, DIM + 1, num_layers=2, bidirectional=True).state_dict(), path)
    with pytest.raises(WeightsError, match=r"weight_ih_l0.*\[24, 5\].*\[20, 5\]"):
        load_cove(vectors, path)
    state = lstm.state_dict()
    del state["bias_hh_l1_reverse"]
    torch.save(state, path)
    with pytest.raises(WeightsError, match="bias_hh_l1_reverse"):
        load_cove(vectors, path)
    torch.save({**lstm.state_dict(), "bias_hh_l0": torch.full((4 * DIM,), torch.nan)}, path)
    with pytest.raises(WeightsError, match="not finite"):
        load_cove(vectors, path)
    with pytest.raises(OptionsError, match="word_vectors=FILE"):
        load_cove(None, path)


def test_a_file_that_would_run_code_is_refused(tmp_path: Path, vectors: Path) -> None:
    torch.save(nn.LSTM(DIM, DIM), tmp_path / "module.pth")  # a pickled module, not its numbers
    with pytest.raises(WeightsError, match="no state dict"):
        load_cove(vectors, tmp_path / "module.pth")


def test_without_a_path_the_published_file_is_asked_for(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    with pytest.raises(FetchError, match="downloads are switched off") as caught:
        load_cove(vectors, offline=True)
    assert cove.URL in str(caught.value)
    assert str(tmp_path / "cove" / "wmtlstm-8f474287.pth") in str(caught.value)
