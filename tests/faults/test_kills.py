"""The campaign of kills notices when it has killed nothing."""

from __future__ import annotations

import pytest

from tests.faults import kills


def test_a_campaign_that_kills_nothing_is_bad(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kills, "Undisturbed", lambda folder: lambda name: ({}, 1.0))
    monkeypatch.setattr(kills, "go", lambda *_: 0)
    monkeypatch.setattr(kills, "left", lambda runs: {})
    monkeypatch.setattr("sys.argv", ["kills", "--count", "2"])
    with pytest.raises(SystemExit) as stop:
        kills.main()
    assert stop.value.code == 1
    assert "2 tried, 0 killed before their end, 2 fine, 0 bad" in capsys.readouterr().out
