"""What a finished run left is used only as the run wrote it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.ensemble.members import Member
from bench.errors import RunError
from bench.predict import Predictor
from bench.run.record import Record
from tests.faults.damage import flip


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
def test_predict_refuses_a_file_that_has_changed(name: str, finished: Path) -> None:
    Predictor(finished)
    changed(finished / name)
    with pytest.raises(RunError, match=rf"{name}: damaged \(not as the run wrote it\)"):
        Predictor(finished)


def test_an_ensemble_refuses_predictions_that_have_changed(finished: Path) -> None:
    assert Member.of(finished).examples["dev"]
    changed(finished / "predictions.jsonl")
    with pytest.raises(RunError, match=r"predictions\.jsonl: damaged"):
        _ = Member.of(finished).examples


def test_older_records_have_no_checksums(finished: Path) -> None:
    result = json.loads((finished / "result.json").read_text())
    assert set(result.pop("files")) == {"head.safetensors", "vocabulary.json", "predictions.jsonl"}
    (finished / "result.json").write_text(json.dumps(result))
    changed(finished / "head.safetensors")
    Predictor(finished)
    Record(finished).verify("head.safetensors")


def test_a_copy_elsewhere_is_as_good(finished: Path, tmp_path: Path) -> None:
    Predictor(Path(shutil.copytree(finished, tmp_path / "elsewhere" / "snli" / "x")))
