"""A run's folder, and who holds it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.errors import BusyError
from bench.run.record import Record
from elmo_core.locks import lock


def test_whoever_only_looks_keeps_no_run_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = lock(tmp_path / ".lock")
    assert looking is not None
    monkeypatch.setattr("bench.run.record.time.sleep", lambda _: looking.close())
    with Record(tmp_path).lock():
        pass


def test_a_look_says_whether_a_folder_is_held_and_makes_none(tmp_path: Path) -> None:
    record = Record(tmp_path / "snli" / "none-0000000000")
    assert not record.busy()
    assert not record.folder.exists()
    with record.lock():
        assert record.busy()
        with pytest.raises(BusyError), Record(record.folder).lock():
            pass
    assert not record.busy()


def test_a_run_that_another_process_ends_in_this_moment_is_shown(
    small: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small("elmo.placement=none", "training.max_epochs=1")
    result = (folder / "result.json").rename(tmp_path / "result.json")
    before, another = result.stat().st_mtime_ns, lock(folder / ".lock")
    assert another is not None

    def ends(_: float) -> None:
        result.rename(folder / "result.json")
        another.close()

    monkeypatch.setattr("bench.run.record.time.sleep", ends)
    small("elmo.placement=none", "training.max_epochs=1")
    assert (folder / "result.json").stat().st_mtime_ns == before
