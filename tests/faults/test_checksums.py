"""What a finished run left is used only as the run wrote it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.ensemble.members import Member
from bench.errors import RunError
from bench.predict import Predictor
from bench.run.record import Record
from tests.faults.damage import flip


@pytest.fixture
def folder(small: Callable[..., Path]) -> Path:
    return small("training.max_epochs=1")


def changed(path: Path) -> None:
    """Change one letter of a word, or a bit of a number: all is valid as before."""
    if path.suffix == ".safetensors":
        flip(path)
    else:
        text = path.read_text()
        changed = text.replace('"man"', '"men"', 1).replace('"dev0"', '"dev00"', 1)
        assert changed != text
        path.write_text(changed)


@pytest.mark.parametrize("name", ["head.safetensors", "vocabulary.json"])
def test_predict_refuses_a_file_that_has_changed(name: str, folder: Path) -> None:
    Predictor(folder)
    changed(folder / name)
    with pytest.raises(RunError, match=rf"{name}: damaged \(not as the run wrote it\)"):
        Predictor(folder)


def test_an_ensemble_refuses_predictions_that_have_changed(folder: Path) -> None:
    assert Member.of(folder).examples["dev"]
    changed(folder / "predictions.jsonl")
    with pytest.raises(RunError, match=r"predictions\.jsonl: damaged"):
        _ = Member.of(folder).examples


def test_older_records_have_no_checksums(folder: Path) -> None:
    result = json.loads((folder / "result.json").read_text())
    assert set(result.pop("files")) == {"head.safetensors", "vocabulary.json", "predictions.jsonl"}
    (folder / "result.json").write_text(json.dumps(result))
    changed(folder / "head.safetensors")
    Predictor(folder)
    Record(folder).verify("head.safetensors")


def test_a_copy_elsewhere_is_as_good(folder: Path, tmp_path: Path) -> None:
    Predictor(Path(shutil.copytree(folder, tmp_path / "elsewhere" / "snli" / "x")))
