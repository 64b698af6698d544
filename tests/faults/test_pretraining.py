"""A training of a language model that was killed or damaged ends as if it had not been."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core.bilm.options import Options
from elmo_core.lightning import SafeCheckpointIO
from elmo_core.pretraining.__main__ import main
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.prepare import Request, prepare
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.train import train
from elmo_core.pretraining.vocabulary import Vocabulary
from tests.elmo_core.pretraining.conftest import EVERY, Killed, assert_same, stop_at, table
from tests.faults.damage import KINDS


@pytest.fixture(scope="module")
def interrupted_once(
    prepared_once: Path,
    options: Options,
    training: Training,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A training that ended within its third interval."""
    out = tmp_path_factory.mktemp("interrupted") / "out"
    torch.manual_seed(99)
    with pytest.MonkeyPatch.context() as patched:
        stop_at(patched, 2 * EVERY + 1)
        with pytest.raises(Killed):
            train(prepared_once, out, options, training, every=EVERY, accelerator="cpu")
    return out


@pytest.fixture
def interrupted(interrupted_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(interrupted_once, tmp_path / "out"))


@pytest.fixture
def whole(trained_once: Path) -> Path:
    assert len(table(trained_once)) == 3
    return trained_once


@pytest.mark.parametrize("after", [False, True])
def test_the_log_after_a_kill_around_the_checkpoint(
    after: bool,
    whole: Path,
    tmp_path: Path,
    run: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between what an interval writes, nothing is lost and nothing stands twice."""
    save, calls = SafeCheckpointIO.save_checkpoint, []

    def dying(self: SafeCheckpointIO, *arguments: Any, **options: Any) -> None:
        calls.append(after and save(self, *arguments, **options))
        if len(calls) == 2:
            raise Killed
        if not after:
            save(self, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(SafeCheckpointIO, "save_checkpoint", dying)
        with pytest.raises(Killed):
            run(tmp_path / "out")
    run(tmp_path / "out")
    assert_same(tmp_path / "out", whole)


def test_a_half_written_row_is_written_again(
    interrupted: Path, whole: Path, run: Callable[..., None]
) -> None:
    with (interrupted / "log.csv").open("a") as log:
        log.write("9,360,12.")
    run(interrupted)
    assert_same(interrupted, whole)


@pytest.mark.parametrize("kind", ["flip", "cut", "gone"])
def test_a_damaged_checkpoint_is_set_aside(
    kind: str,
    interrupted: Path,
    whole: Path,
    run: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    last = interrupted / "last.ckpt"
    KINDS[kind](last)
    with (interrupted / "log.csv").open("a") as log:
        log.write("1,40,9.0,9.0,9.0,9.0,0.1,2018-02-15T00:00:00\n")  # of shorter intervals
    capsys.readouterr()
    run(interrupted)
    if kind != "gone":
        assert f"{last}: damaged" in capsys.readouterr().err
        assert last.with_name("last.ckpt.damaged").exists()
    assert_same(interrupted, whole)


READ = ("encoded/train/tokens.int32", "encoded/heldout/types.json", "vocabulary.txt")


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_corpus_is_not_trained_on(
    name: str, kind: str, prepared: Path, run: Callable[..., None], tmp_path: Path
) -> None:
    KINDS[kind](prepared / name)
    with pytest.raises((CorpusError, OSError, ValueError)) as error:
        run(tmp_path / "out")
    assert type(error.value).__module__.startswith("elmo_core.")
    assert str(prepared) in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["report.json", "prepare.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"{}", b"\xff\xfe", b"[" * 100_000])
def test_damaged_notes_of_prepare(
    name: str,
    content: bytes,
    prepared: Path,
    text: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (prepared / name).write_bytes(content)
    options = ["--heldout", "0.3", "--min-count", "1"]
    with pytest.raises(SystemExit) as stop:
        main(["prepare", str(text), "-o", str(prepared), *options])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert str(prepared) in said


@pytest.mark.parametrize("changed", [{"files": []}, {"files": None}, {"coverage": "0.9"}])
def test_a_report_of_other_types_is_damaged(
    changed: dict[str, object], prepared: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = prepared / "report.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    options = ["--heldout", "0.3", "--min-count", "1"]
    with pytest.raises(SystemExit) as stop:
        main(["prepare", str(text), "-o", str(prepared), *options])
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {path}: damaged (unreadable): remove it")


@pytest.mark.parametrize(("name", "kind"), zip(READ, ["flip", "garbage", "gone"], strict=True))
def test_the_way_back_from_a_damaged_corpus(
    name: str,
    kind: str,
    prepared: Path,
    text: Path,
    run: Callable[..., None],
    tmp_path: Path,
) -> None:
    """With the report there, `prepare` would say that all is done."""
    damaged = prepared / name
    before = damaged.read_bytes()
    KINDS[kind](damaged)
    with pytest.raises(CorpusError, match=rf"{name}: damaged .*remove .*report\.json"):
        run(tmp_path / "out")
    begun = json.loads((prepared / "prepare.json").read_text())["request"]
    (prepared / "report.json").unlink()
    prepare([text], prepared, Request(**begun))
    assert damaged.read_bytes() == before
    run(tmp_path / "out")


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_cut_text_without_a_report(size: int, prepared: Path) -> None:
    """As `finetune` and `evaluate` read it: there is no checksum, the form alone."""
    tokens = prepared / "encoded" / "train" / "tokens.int32"
    tokens.write_bytes(tokens.read_bytes()[:-size])
    vocabulary = Vocabulary.read(prepared / "vocabulary.txt")
    with pytest.raises(CorpusError, match="cut short"):
        Corpus(tokens.parent, vocabulary, 50)
