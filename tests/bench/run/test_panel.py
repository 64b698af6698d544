"""What stands at the end of a run, in a pipe and on a terminal."""

from __future__ import annotations

from dataclasses import replace
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


@pytest.mark.parametrize(
    ("best", "epochs", "says"),
    [
        (8, 8, True),
        (7, 8, False),  # more did not help
        (1, 1, False),  # nothing rises in one
    ],
)
def test_a_run_that_ends_while_dev_rises_says_so(
    best: int, epochs: int, says: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Maker(tmp_path).run()
    (run,) = read(tmp_path).finished
    panel.show(replace(run.result, best_epoch=best, epochs=epochs), tmp_path)
    assert ("dev rose to the end: training.max_epochs=16" in capsys.readouterr().out) == says


@pytest.mark.parametrize(("limit", "says"), [(2, "2 batches"), (1, "1 batch"), (None, "")])
def test_scores_of_a_few_batches_say_so(
    limit: int | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Maker(tmp_path).run()
    (run,) = read(tmp_path).finished
    panel.show(run.result, tmp_path, limit_batches=limit)
    said = capsys.readouterr().out
    assert ("a trial" in said) == bool(says)
    assert says in said


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


@pytest.mark.parametrize("name", ["/d/[new]/ner", "/d/a[/b]"])
def test_brackets_are_brackets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, too, where they could be markup."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    Maker(tmp_path).run()
    (run,) = read(tmp_path).finished
    panel.show(replace(run.result, data={**run.result.data, "dir": name}), tmp_path, "[/note]")
    said = capsys.readouterr().out
    assert name in said
    assert "[/note]" in said
