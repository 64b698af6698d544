"""The campaign on small disks: what it finds is told, whatever kind of failure it is."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import pytest

from tests.faults import full_disk


def test_a_run_that_leaves_too_little_is_bad(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def trial(*_: object) -> None:
        raise FileNotFoundError(2, "No such file", "head.safetensors")

    monkeypatch.setattr(full_disk, "small_disk", lambda folder: nullcontext())
    monkeypatch.setattr(full_disk, "Undisturbed", lambda folder: None)
    monkeypatch.setattr(full_disk, "trial", trial)
    monkeypatch.setattr(sys, "argv", ["full_disk", "--count", "1"])
    with pytest.raises(SystemExit) as stop:
        full_disk.main()
    assert stop.value.code == 1
    assert "1 tried, 0 fine, 1 bad" in capsys.readouterr().out
