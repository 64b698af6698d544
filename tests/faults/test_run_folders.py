"""A run folder from somebody else runs no code, and a damaged one gets one line."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from omegaconf import OmegaConf

from bench import predict
from bench.ensemble.__main__ import main as ensemble
from bench.errors import RunError
from bench.predict import Predictor
from bench.run.trust import read
from tests.bench.verbs import said


class Evil:
    """Unpickled, it makes the file that shows it."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.marker,)


def evil(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Encoders that run code when they are built, each by another way."""
    marker = tmp_path / "marker"
    torch.save(Evil(marker), tmp_path / "evil.pt")
    (tmp_path / "evil.pkl").write_bytes(pickle.dumps(Evil(marker)))
    np.save(tmp_path / "evil.npy", np.array([Evil(marker)], dtype=object), allow_pickle=True)
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "hubconf.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    load = {"_target_": "torch.load", "f": str(tmp_path / "evil.pt"), "weights_only": False}
    copy = {"_target_": "shutil.copyfile", "src": str(tmp_path / "evil.pt"), "dst": str(marker)}
    hub = {"_target_": "torch.hub.load", "repo_or_dir": str(tmp_path / "hub"), "model": "x"}
    return {
        "torch.load": load,
        "joblib.load": {"_target_": "joblib.load", "filename": str(tmp_path / "evil.pkl")},
        "numpy.load": {
            "_target_": "numpy.load",
            "file": str(tmp_path / "evil.npy"),
            "allow_pickle": True,
        },
        "torch.hub.load": {**hub, "source": "local"},
        "shutil.copyfile": copy,
        "nested": {"_target_": "elmo_core.load_encoder", "source": load},
        "through our module": {
            "_target_": "elmo_core.encoders.cove.torch.load",
            "f": str(tmp_path / "evil.pt"),
            "weights_only": False,
        },
        "our function": {
            "_target_": "elmo_core.whole_files.replacing",
            "path": str(marker),
        },
    }


WAYS = (
    "torch.load",
    "joblib.load",
    "numpy.load",
    "torch.hub.load",
    "shutil.copyfile",
    "nested",
    "through our module",
    "our function",
)


def spoil(folder: Path, **changes: Any) -> None:
    config = OmegaConf.load(folder / "config.yaml")
    for key, value in changes.items():
        config[key] = value
    (folder / "config.yaml").write_text(OmegaConf.to_yaml(config))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", ["encoder", "task"])
def test_a_folder_builds_nothing_that_is_not_ours(
    way: str, part: str, finished: Path, tmp_path: Path
) -> None:
    named = {"name": "snli"} if part == "task" else {}
    spoil(finished, **{part: {**named, **evil(tmp_path)[way]}})
    with pytest.raises(RunError, match=r"is not of this suite.*--trust"):
        Predictor(finished)
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("way", WAYS)
def test_nor_does_an_ensemble(
    way: str, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Path(shutil.copytree(finished, finished.parent / "input-0000000000"))
    result = json.loads((other / "result.json").read_text())
    (other / "result.json").write_text(json.dumps({**result, "run_id": other.name}))
    spoil(other, encoder=evil(tmp_path)[way])
    status, _, told = said(capsys, ensemble, ["--mixed", finished, other])
    assert (status, "is not of this suite" in told) == (2, True), told
    assert not (tmp_path / "marker").exists()


def test_a_package_is_trusted_by_name(
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "trusted_package.py").write_text(
        "from pickle import loads\nfrom elmo_core.encoders.random import random_elmo\n"
        "def mine(**shape): return random_elmo(**shape)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    encoder = dict(OmegaConf.load(finished / "config.yaml").encoder)
    spoil(finished, encoder={**encoder, "_target_": "trusted_package.mine"})
    (tmp_path / "in").write_text('{"premise": "A man sleeps.", "hypothesis": "He runs."}')

    def predicted(words: list[str]) -> None:
        predict.main([str(finished), "--input", str(tmp_path / "in"), *words])

    def together(words: list[str]) -> None:
        ensemble(["--force", str(finished), str(finished.with_name(other)), *words])

    other = "input-0000000000"
    copy = shutil.copytree(finished, finished.with_name(other))
    result = json.loads((copy / "result.json").read_text())
    (copy / "result.json").write_text(json.dumps({**result, "run_id": other, "seed": 2}))
    spoil(copy, seed=2)
    for program, answer in ((predicted, '"id": "1"'), (together, "")):
        status, _, err = said(capsys, program, [])
        assert (status, "--trust trusted_package" in err) == (2, True)
        status, out, err = said(capsys, program, ["--trust", "trusted_package"])
        assert (status, answer in out) == (0, True), err
    spoil(finished, encoder={**encoder, "_target_": "trusted_package.loads"})
    with pytest.raises(RunError, match="is not of this suite"):
        Predictor(finished, ["trusted_package"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no mapping|damaged|no configuration"),
        ("[a, b]", "damaged"),
        ("task: {name: snli", "damaged"),
        ("task: !!python/object/apply:os.system [id]", "YAML tag or alias"),
        ("a: &a [x]\nb: [*a, *a]", "YAML tag or alias"),
        ("word_vectors: ${oc.env:HOME}", "refers to something outside"),
        ("task: {name: snli}", "no configuration of a run"),
        ("elmo: {placement: sideways}", "no configuration of a run"),
        ("nonsense: 1", "no configuration of a run"),
        (f"{'x' * 200_000}: 1", "no configuration of a run|damaged"),
        ("just words", "no configuration of a run"),
        ("7", "no configuration of a run|damaged"),
        ("data: null", "no configuration of a run"),
        ("elmo: 3", "no configuration of a run"),
        ("training: [1]", "no configuration of a run"),
        ("a: " + "[" * 5000, "nested more than|damaged"),
    ],
)
def test_a_configuration_that_is_none_gets_one_line(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(RunError, match=said) as error:
        read(tmp_path / "config.yaml")
    assert str(tmp_path / "config.yaml") in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) <= 1000


def test_bytes_that_are_no_text_get_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"task: \xff\xfe\n")
    with pytest.raises(RunError, match=r"config\.yaml: damaged"):
        read(tmp_path / "config.yaml")


@pytest.mark.parametrize("name", ["vocabulary.json", "head.safetensors", "config.yaml"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff" * 64, b'{"words": 1}', b"null"])
def test_a_damaged_file_is_named(name: str, content: bytes, finished: Path) -> None:
    (finished / name).write_bytes(content)
    with pytest.raises(RunError, match=name) as error:
        Predictor(finished)
    assert "\n" not in str(error.value)


def test_a_cut_head_is_named(finished: Path) -> None:
    head = finished / "head.safetensors"
    head.write_bytes(head.read_bytes()[:-100])
    with pytest.raises(RunError, match=r"head\.safetensors: damaged"):
        Predictor(finished)


def test_what_a_run_wrote_is_read_back(finished: Path) -> None:
    written = OmegaConf.load(finished / "config.yaml")
    assert read(finished / "config.yaml") == written
