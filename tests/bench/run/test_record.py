"""A run's folder, and who holds it."""

from __future__ import annotations

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
