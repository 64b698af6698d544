"""An encoder that is not the one any more that a run was trained on."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bench import predict
from bench.ensemble.__main__ import main as ensemble
from bench.errors import RunError
from bench.evaluate.__main__ import main as evaluate
from bench.features import main as stored
from bench.run import features
from bench.run.build import encoder_of, task_of
from bench.run.checkpoints import of_encoder
from bench.run.contents import warn_of_uncounted
from bench.run.datamodule import BenchData
from bench.run.record import Record
from elmo_core.bilm import weights
from elmo_core.encoders.random import random_elmo
from tests import encoder_files
from tests.bench.verbs import said

Bench = Callable[..., int]
Result = Callable[[Path], dict[str, Any]]
WORDS = ("task=snli", "task.hidden=8", "task.word_dim=8", "trainer=cpu", "elmo.placement=input")


@pytest.fixture
def train(
    bench: Bench, snli_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Train for so many epochs on my_package.MyEncoder, whose counts are so many times too high."""
    monkeypatch.syspath_prepend(tmp_path)

    def trained(epochs: int, times: int, runs: str = "runs") -> Path:
        code = encoder_files.example().replace("letters-1", f"letters-{times}")
        code = code.replace("w.count(chr(97 + i))", f"{times} * w.count(chr(97 + i))")
        monkeypatch.delitem(sys.modules, "my_package", raising=False)
        (tmp_path / "my_package.py").write_text(f"{code}# {'-' * times}\n", encoding="utf-8")
        before = set((tmp_path / runs).glob("snli/*"))
        words = (*WORDS, "encoder._target_=my_package.MyEncoder", f"training.max_epochs={epochs}")
        folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / runs}")
        assert bench(*words, "training.patience=9", *folders) == 0
        (folder,) = set((tmp_path / runs).glob("snli/*")) - before
        return folder

    return trained


def test_training_does_not_go_on_from_another_encoders(
    train: Callable[..., Path], result: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    train(2, times=1)
    capsys.readouterr()
    longer = train(3, times=50)
    assert "trained on another encoder (fingerprint letters-1, now letters-50)" in (
        " ".join((longer / "run.log").read_text().split())
    )
    anew = train(3, times=50, runs="anew")
    assert result(longer)["metrics"] == result(anew)["metrics"]
    assert (longer / "head.safetensors").read_bytes() == (anew / "head.safetensors").read_bytes()
    kept = {path.name for path in (longer / "checkpoints").iterdir()}
    assert kept == {"best.ckpt", "last.ckpt", "best.ckpt.other", "last.ckpt.other"}


def test_training_goes_on_with_the_same_encoder(train: Callable[..., Path]) -> None:
    train(2, times=1)
    longer = train(3, times=1)
    assert "going on from" in (longer / "run.log").read_text()
    assert "another encoder" not in (longer / "run.log").read_text()


def test_other_vectors_than_are_stored_under_a_fingerprint_are_refused(
    train: Callable[..., Path],
    bench: Bench,
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    train(1, times=1)
    module = tmp_path / "my_package.py"
    code = module.read_text().replace("1 * w.count", "2 * w.count")
    module.write_text(f"{code}# longer, for Python's own cache")
    monkeypatch.delitem(sys.modules, "my_package")
    words = (*WORDS, "encoder._target_=my_package.MyEncoder", "training.max_epochs=1", "force=true")
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    assert bench(*words, *folders) == 2
    said = capsys.readouterr().err
    assert "encoder letters gives other vectors for" in said
    assert "give it another fingerprint, or throw away what is stored" in said
    assert bench(*words, *folders, "features=live") == 0
    module.write_text(code.replace("letters-1", "letters-2"))
    monkeypatch.delitem(sys.modules, "my_package")
    assert bench(*words, *folders) == 0


def test_the_way_to_throw_away_what_is_stored_names_the_store(
    train: Callable[..., Path],
    bench: Bench,
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    words = [*WORDS, "encoder._target_=my_package.MyEncoder", "training.max_epochs=1"]
    words += [*folders, f"features.dir={tmp_path / 'features'}", "force=true"]
    train(1, times=1)
    assert bench(*words) == 0
    module = tmp_path / "my_package.py"
    module.write_text(module.read_text().replace("1 * w.count", "2 * w.count") + "# longer")
    monkeypatch.delitem(sys.modules, "my_package")
    assert bench(*words) == 2
    _, _, command = capsys.readouterr().err.partition("python -m bench.features ")
    assert said(capsys, stored, [*shlex.split(command), "--yes"])[0] == 0
    assert bench(*words) == 0


def test_other_vectors_are_found_in_dev_where_nothing_of_training_is_stored(
    monkeypatch: pytest.MonkeyPatch, configured: Callable[..., Any], tmp_path: Path
) -> None:
    """As with a share of the training set, which another seed draws anew."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_package.py").write_text(encoder_files.example(), encoding="utf-8")
    monkeypatch.delitem(sys.modules, "my_package", raising=False)
    words = ("task=ner", "encoder=own", "encoder._target_=my_package.MyEncoder", "features=store")
    cfg = configured(*words, "data.train_share=0.05", f"features.dir={tmp_path / 'features'}")
    data = BenchData.of(cfg, task_of(cfg))
    encoder = encoder_of(cfg)
    assert encoder is not None
    features.fill(cfg, features.store_of(cfg, encoder), data, "dev")
    store = features.store_of(cfg, encoder)
    encode = store.encode
    monkeypatch.setattr(store, "encode", lambda words: [2 * one for one in encode(words)])
    with pytest.raises(RunError, match="encoder letters gives other vectors for"):
        features.fill(cfg, store, data, "train", "dev")


@pytest.mark.parametrize("mode", ["store", "live"])
def test_an_encoder_whose_vectors_hang_on_the_batch_is_refused(
    mode: str,
    bench: Bench,
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    code = encoder_files.example().replace("w.count(", "len(sentences) * w.count(")
    (tmp_path / "my_package.py").write_text(code, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "my_package", raising=False)
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    words = (*WORDS, "encoder._target_=my_package.MyEncoder", f"features={mode}")
    assert bench(*words, *folders) == 2
    said = capsys.readouterr().err
    assert "encoder letters: gives other vectors for" in said
    assert "alone than beside other sentences: is dropout on" in said


def test_a_file_under_another_name_is_told_not_to_count(
    configured: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.pt").touch()
    words = ("task=snli", "encoder=own", "encoder._target_=my_package.MyEncoder")
    warn_of_uncounted(configured(*words, f"+encoder.path={tmp_path / 'a.pt'}"))
    assert "encoder.path: the run id does not know what is in" in caplog.text
    caplog.clear()
    warn_of_uncounted(configured(*words, f"+encoder.weights={tmp_path / 'a.pt'}", "+encoder.n=a"))
    warn_of_uncounted(configured(*words, f"+encoder.prompt={'x' * 300}", "+encoder.who='~nobody1'"))
    assert not caplog.text


def test_checkpoints_that_do_not_say_their_encoder_are_gone_on_with(tmp_path: Path) -> None:
    """Those of before there were fingerprints in them."""
    record = Record(tmp_path)
    record.checkpoints.mkdir()
    for known, left in (({}, True), ({"encoder": "a"}, True), ({"encoder": "b"}, False)):
        for path in (record.last, record.best):
            torch.save({"state_dict": {}, "global_step": 1, **known}, path)
        of_encoder(record, "a")
        assert record.last.exists() == record.best.exists() == left


def test_a_head_does_not_take_another_encoders_vectors(
    bench: Bench, snli_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = encoder_files.elmo(tmp_path / "mine.safetensors")
    words = (*WORDS, "training.max_epochs=1", f"encoder={path}", f"data.dir={snli_folder}")
    runs = tmp_path / "runs" / "snli"
    for seed in (1, 2):
        assert bench(*words, f"seed={seed}", f"paths.runs={tmp_path / 'runs'}") == 0
    one, two = sorted(runs.iterdir())
    pair = json.dumps({"premise": "He sleeps .", "hypothesis": "He is awake ."})
    (tmp_path / "pairs.jsonl").write_text(pair)
    verbs: list[tuple[Callable[[list[str]], object], list[object]]] = [
        (evaluate, ["--force", one, f"data.dir={snli_folder}"]),
        (ensemble, ["--force", one, two]),
        (predict.main, [one, "--input", tmp_path / "pairs.jsonl"]),
    ]
    for program, given in verbs:
        status, _, err = said(capsys, program, given)
        assert (status, "was trained on" in err) == (0, False), err
    weights.save(random_elmo(encoder_files.TINY, seed=4).bilm, path)
    for program, given in verbs:
        status, _, err = said(capsys, program, given)
        assert (status, "there is mine with" in err) == (2, True), err
