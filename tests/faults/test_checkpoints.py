"""A damaged checkpoint is named, never silently used, and the run ends with the same bits."""

from __future__ import annotations

import errno
import shutil
import signal
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.errors import RunError
from bench.interrupts import Interrupted
from bench.run.module import BenchModule
from elmo_core.errors import CheckpointError
from elmo_core.lightning import read_checkpoint
from tests.bench.small import SMALL
from tests.conftest import front_door
from tests.faults.damage import KINDS
from tests.faults.runs import LEFT, of_run

RUN = ("elmo.placement=input", "training.patience=20", "training.max_epochs=4")


@pytest.fixture
def run(bench: Callable[..., int], snli_folder: Path, tmp_path: Path) -> Callable[..., int]:
    return lambda *words: bench(
        *SMALL, *RUN, f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}", *words
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, snli_folder: Path) -> Path:
    """What an uninterrupted run of four epochs leaves."""
    runs = tmp_path_factory.mktemp("whole")
    assert front_door(*SMALL, *RUN, f"data.dir={snli_folder}", f"paths.runs={runs}") == 0
    return next(runs.glob("snli/*"))


class Killed(BaseException):
    """As if the process were gone."""


@pytest.fixture
def interrupted(run: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run that ended in its third epoch, the second being the best so far."""
    step = BenchModule.training_step

    def dying(self: BenchModule, batch: Any, index: int) -> Any:
        if self.current_epoch == 2:
            raise Killed
        return step(self, batch, index)

    with monkeypatch.context() as patched:
        patched.setattr(BenchModule, "training_step", dying)
        with pytest.raises(Killed):
            run()
    (folder,) = (tmp_path / "runs").glob("snli/*")
    return folder


def assert_same(folder: Path, whole: Path) -> None:
    found = of_run(folder)
    for name, value in of_run(whole).items():
        assert found[name] == value, name


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "gone"])
def test_a_damaged_last_checkpoint_gives_way_to_the_best(
    kind: str, interrupted: Path, whole: Path, run: Callable[..., int]
) -> None:
    last = interrupted / "checkpoints" / "last.ckpt"
    KINDS[kind](last)
    assert run() == 0
    said = (interrupted / "run.log").read_text()
    assert f"{last}: damaged" in said
    assert "set aside as last.ckpt.damaged" in said
    assert "goes on from" in said
    assert last.with_name("last.ckpt.damaged").exists()
    assert_same(interrupted, whole)


def test_a_best_checkpoint_that_the_last_one_does_not_know_is_gone_on_from(
    interrupted: Path, whole: Path, run: Callable[..., int]
) -> None:
    """As if the process had died, or the disk been full, between the two."""
    last = interrupted / "checkpoints" / "last.ckpt"
    before = torch.load(last, weights_only=True)
    before["global_step"] = 0
    torch.save(before, last)
    assert run() == 0
    assert "goes on from" in (interrupted / "run.log").read_text()
    assert_same(interrupted, whole)


@pytest.mark.parametrize("kind", ["flip", "gone"])
def test_without_the_best_checkpoint_the_training_begins_anew(
    kind: str, interrupted: Path, whole: Path, run: Callable[..., int]
) -> None:
    best = interrupted / "checkpoints" / "best.ckpt"
    KINDS[kind](best)
    assert run() == 0
    said = (interrupted / "run.log").read_text()
    assert f"{best}: {'missing' if kind == 'gone' else 'damaged'}" in said
    assert "begins anew" in said
    assert_same(interrupted, whole)


def test_a_mistake_before_it_goes_on_leaves_the_checkpoints(
    interrupted: Path, whole: Path, run: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: object) -> None:
        raise RunError("no such encoder")

    with monkeypatch.context() as patched:
        patched.setattr("bench.run.run.encoder_of", refused)
        assert run() == 2
    assert run() == 0
    assert "going on from" in (interrupted / "run.log").read_text()
    assert_same(interrupted, whole)


@pytest.mark.parametrize(("words", "says"), [((), "goes on"), (("force=true",), "begins anew")])
def test_an_interruption_says_what_the_same_command_does(
    words: tuple[str, ...],
    says: str,
    interrupted: Path,
    run: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    step = BenchModule.training_step

    def stopped(self: BenchModule, batch: Any, index: int) -> Any:
        if self.current_epoch > 0:
            raise Interrupted(signal.SIGINT)
        return step(self, batch, index)

    monkeypatch.setattr(BenchModule, "training_step", stopped)
    assert run(*words) == 130
    assert interrupted.exists()
    assert f"the same command {says}" in capsys.readouterr().err


def test_without_the_best_checkpoint_it_begins_as_a_shorter_run_ended(
    interrupted: Path, whole: Path, run: Callable[..., int]
) -> None:
    assert run("training.max_epochs=2") == 0
    KINDS["flip"](interrupted / "checkpoints" / "best.ckpt")
    assert run() == 0
    assert "a run of fewer epochs" in (interrupted / "run.log").read_text()
    assert_same(interrupted, whole)


@pytest.mark.parametrize("kind", ["flip", "gone"])
def test_trained_but_not_yet_scored(
    kind: str, whole: Path, tmp_path: Path, run: Callable[..., int]
) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "runs" / "snli" / whole.name))
    (folder / "result.json").unlink()
    for name in LEFT:
        (folder / name).unlink()
    KINDS[kind](folder / "checkpoints" / "best.ckpt")
    assert run() == 0
    assert_same(folder, whole)


def test_damage_while_the_run_trains_is_one_line(
    run: Callable[..., int],
    tmp_path: Path,
    whole: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def damage(self: BenchModule) -> None:
        (best,) = (tmp_path / "runs").glob("snli/*/checkpoints/best.ckpt")
        KINDS["flip"](best)

    with monkeypatch.context() as patched:
        patched.setattr(BenchModule, "on_fit_end", damage)
        assert run() == 2
    assert "best.ckpt: damaged" in capsys.readouterr().err
    assert run() == 0
    (folder,) = (tmp_path / "runs").glob("snli/*")
    assert_same(folder, whole)


@pytest.mark.parametrize("damaged", ["best.ckpt", "last.ckpt", "result.json"])
def test_a_longer_run_does_not_begin_with_a_damaged_shorter_one(
    damaged: str, whole: Path, run: Callable[..., int], tmp_path: Path
) -> None:
    assert run("training.max_epochs=2") == 0
    (shorter,) = (tmp_path / "runs").glob("snli/*")
    (path,) = shorter.rglob(damaged)
    KINDS["cut" if damaged == "result.json" else "flip"](path)
    spoiled = path.read_bytes()
    assert run() == 0
    longer = tmp_path / "runs" / "snli" / whole.name
    assert_same(longer, whole)
    assert path.read_bytes() == spoiled  # it is another run's
    assert ("does not begin with it" in (longer / "run.log").read_text()) == (
        damaged != "result.json"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_no_damaged_checkpoint_is_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    torch.save({"state_dict": {"w": torch.arange(4096.0)}, "global_step": 1}, path)
    assert read_checkpoint(path)["state_dict"]["w"][-1] == 4095
    KINDS[kind](path)
    with pytest.raises(CheckpointError, match=r"last\.ckpt: (damaged|missing)") as error:
        read_checkpoint(path)
    assert "\n" not in str(error.value)


def test_a_place_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damage may make the reader of zip files seek there, which the system refuses."""

    def refused(self: zipfile.ZipFile) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    torch.save({"state_dict": {}, "global_step": 1}, tmp_path / "last.ckpt")
    monkeypatch.setattr(zipfile.ZipFile, "testzip", refused)
    with pytest.raises(CheckpointError, match=r"last\.ckpt: damaged"):
        read_checkpoint(tmp_path / "last.ckpt")


@pytest.mark.parametrize("content", [[1, 2, 3], {"global_step": 1}, {"state_dict": {}}])
def test_a_whole_file_of_something_else(tmp_path: Path, content: object) -> None:
    torch.save(content, tmp_path / "last.ckpt")
    with pytest.raises(CheckpointError, match="no checkpoint"):
        read_checkpoint(tmp_path / "last.ckpt")
