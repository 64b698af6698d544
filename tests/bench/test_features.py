"""Features in runs, and `python -m bench.features build`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import DictConfig

from bench import features
from bench.choice import Choice
from elmo_core.encoders.checked import Checked
from elmo_core.store.files import shards_in
from tests.bench.small import SMALL
from tests.bench.verbs import said
from tests.conftest import TINY_ENCODER

Small = Callable[..., Path]
Result = Callable[[Path], dict[str, Any]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "features"


def predictions(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]


def test_store_and_live_give_the_same_predictions(
    small: Small, root: Path, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["training.max_epochs=6", "training.scheduler=null", "training.optimizer.lr=0.005"]
    arguments += ["task.hidden=16", "task.dropout=0", "task.attention_dropout=0"]
    live = small(*arguments, "features=live", f"features.dir={root}", runs="live")
    assert not root.exists()
    filling = small(*arguments, "features=store", f"features.dir={root}", runs="filling")
    assert "features: store, in" in (filling / "run.log").read_text()

    def encode(self: Checked, sentences: object) -> None:
        raise AssertionError("all is stored")

    monkeypatch.setattr(Checked, "encode", encode)
    reading = small(*arguments, f"features.dir={root}", runs="reading")
    assert "features of train, dev: 160 sentences" in (reading / "run.log").read_text()
    assert live.name == filling.name == reading.name
    assert len({row["prediction"] for row in predictions(live)}) == 3
    for other in (filling, reading):
        assert result(other)["metrics"] == result(live)["metrics"]
        losses = [[epoch["train_loss"] for epoch in result(r)["history"]] for r in (other, live)]
        assert losses[0] == pytest.approx(losses[1], rel=1e-3)
        for one, two in zip(predictions(other), predictions(live), strict=True):
            assert one["prediction"] == two["prediction"]
            assert one["probabilities"] == pytest.approx(two["probabilities"], abs=1e-4)
    assert predictions(filling) == predictions(reading)


def test_half_precision_is_another_run_and_half_the_size(
    small: Small, root: Path, result: Result, snli_folder: Path
) -> None:
    folder = f"features.dir={root}"
    half = small(folder, "features.precision=float16")
    live = small("features=live", "features.precision=float16", runs="live")
    assert half.name == live.name
    assert result(half)["metrics"] == result(live)["metrics"]
    features.main(["build", *SMALL, folder, f"data.dir={snli_folder}"])
    sizes = {
        path.name.split("-")[1]: sum(shard.stat().st_size for shard in shards_in(path))
        for path in root.iterdir()
    }
    assert sizes["float16"] < 0.7 * sizes["float32"]


def test_a_run_uses_and_mends_what_is_there(
    small: Small, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once = (f"features.dir={root}", "training.max_epochs=1")
    whole = small(*once)
    (folder,) = root.iterdir()
    shard = shards_in(folder)[0]
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    os.utime(folder, (1e9, 1e9))
    capsys.readouterr()
    mended = small(*once, runs="again")
    assert f"{shard} is damaged" in capsys.readouterr().err
    assert predictions(mended) == predictions(whole)
    assert time.time() - folder.stat().st_mtime < 3600
    features.main(["verify", "--dir", str(root)])


def test_the_test_split_is_stored_after_training(small: Small, root: Path) -> None:
    log = (small(f"features.dir={root}") / "run.log").read_text()
    assert (
        log.index("features of train, dev") < log.index("epoch 3") < log.index("features of test")
    )


def test_a_trial_stores_nothing(small: Small, root: Path) -> None:
    small(f"features.dir={root}", "trainer.limit_batches=2", "training.max_epochs=1")
    assert not root.exists()


def test_room_is_counted_in_gigabytes(small: Small, root: Path) -> None:
    small(f"features.dir={root}", "features=store", "features.max_gb=0.1", "training.max_epochs=1")
    assert 0 < sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) < 1e8


def test_too_little_room_is_one_line(
    bench: Callable[..., int], snli_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [f"data.dir={snli_folder}", f"paths.runs={tmp_path}", f"features.dir={tmp_path / 'f'}"]
    assert bench(*SMALL, *given, "features=store", "features.max_gb=1e-6") == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: features=store: ")
    assert "features.precision=float16" in error
    assert bench(*SMALL, *given, "features.max_gb=1e-6", "training.max_epochs=1") == 0
    assert "features: memory, since" in capsys.readouterr().err


def test_features_do_not_make_another_run_unless_they_change_the_numbers(
    configured: Callable[..., DictConfig],
) -> None:
    def name(*overrides: str) -> str:
        return Choice.of(configured("task=snli", *overrides)).run_id

    assert "features" not in Choice.of(configured("task=snli")).values
    others = ("features.dir=x", "features.overlay=x", "features.max_gb=3")
    for same in ("features=live", "features=store", "features=gpu", *others):
        assert name(same) == name()
    half = "features.precision=float16"
    assert name(half) == name(half, "features=live") != name()
    assert name("elmo.placement=none") == name("elmo.placement=none", half)


def test_build_then_a_run_reads(
    small: Small, root: Path, snli_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*SMALL, f"data.dir={snli_folder}", f"features.dir={root}"]
    features.main(["build", *given, "--splits", "train", "dev"])
    assert "features of train, dev: 160 sentences" in capsys.readouterr().err
    log = (small(f"features.dir={root}", "training.max_epochs=1") / "run.log").read_text()
    assert "all stored in" in log
    assert "features of test: 40 sentences" in log


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("task=snly", "did you mean"),
        ("seed=-1", "seed=-1"),
        ("experiment=table2", "experiment=table2: this takes the keys of one run"),
        ("plan=true", "plan=true: this takes the keys of one run"),
        ("elmo.placement=none", "error: elmo.placement=none asks no encoder"),
    ],
)
def test_build_explains_mistakes(
    word: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, told = said(capsys, features.main, ["build", word])
    assert (status, expected in told) == (2, True), told


def test_a_file_is_no_folder_for_features(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/below"):
        words = ("task=ner", f"features.dir={tmp_path / place}", *TINY_ENCODER)
        status, _, told = said(capsys, features.main, ["build", *words])
        assert status == 2
        assert f"features: {tmp_path / 'file'} is no folder" in told


def test_building_out_of_memory_is_one_line(
    snli_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.run.features.fill", lambda *_: torch.empty(1 << 60))
    words = ["build", *SMALL, f"data.dir={snli_folder}"]
    status, _, told = said(capsys, features.main, words)
    assert (status, "out of memory while features are encoded" in told) == (2, True), told
