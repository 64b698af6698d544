"""Locks: who has to wait for whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from elmo_core import locks
from elmo_core.locks import lock, locked


@pytest.mark.skipif(not locks.AVAILABLE, reason="no locks here")
def test_an_exclusive_lock_keeps_all_others_out(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path), open(path) as other:
        assert not lock(other, wait=False)
        assert not lock(other, shared=True, wait=False)
    with open(path) as one, open(path) as two:
        assert lock(one, shared=True, wait=False)
        assert lock(two, shared=True, wait=False)
        assert not lock(two, wait=False)


def test_without_locks_nobody_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "fcntl", None)
    with locked(tmp_path / "lock"), open(tmp_path / "lock") as other:
        assert lock(other)
