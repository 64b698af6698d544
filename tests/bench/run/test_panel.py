"""What stands at the end of a run, in a pipe and on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.report.read import read
from bench.run import panel
from tests.bench.made_up import Maker


@pytest.fixture
def shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    Maker(tmp_path).run(placement="input")
    (run,) = read(tmp_path).finished
    panel.show(run.result, Path("a", "long" * 40), note="finished earlier")
    return capsys.readouterr().out


def test_a_pipe_gets_plain_lines(shown: str) -> None:
    lines = [line.split("  ") for line in shown.splitlines()]
    values = {line[0]: line[1] for line in lines if len(line) > 1}
    assert set(values) >= {"dev accuracy", "test accuracy", "mix, input", "encoder", "epochs"}
    assert 0 <= float(values["dev accuracy"]) <= 100
    assert values["run"] == f"a/{'long' * 40}"
    assert lines[-1] == ["finished earlier"]
    assert not set(shown) & set("╭│─╰\x1b")


def test_a_terminal_gets_a_box(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    Maker(tmp_path).run(placement="input")
    (run,) = read(tmp_path).finished
    panel.show(run.result, Path("a", "folder"))
    said = capsys.readouterr().out
    assert "╭" in said
    assert f"\x1b[1m{run.result.metrics['dev']['accuracy']:.2f}" in said
