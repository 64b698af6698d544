"""What is shown of runs at once: on a terminal, and where there is none."""

from __future__ import annotations

from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from bench import console
from bench.sweep import board
from bench.sweep.job import Cell, Outcome
from bench.sweep.side_by_side import Running, Slot
from tests.bench.sweep.pretended import pretend
from tests.bench.terminal import Terminal

Shown = pytest.CaptureFixture[str]


def started(seed: int, found: str = "new") -> Running:
    job: Any = SimpleNamespace(cells=[Cell("ner", "none", seed, ())], record=None, found=found)
    return Running(job, Slot({}), [f"seed={seed}"])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pretend(monkeypatch)
    now = [0.0]
    monkeypatch.setattr(board.time, "monotonic", lambda: now[0])
    return now


def test_what_is_left_of_an_interrupted_run_tells_no_run_s_time(
    clock: list[float], capsys: Shown
) -> None:
    running = [started(1, "interrupted"), started(2)]
    with board.Board(running, runs=4, slots=2) as told:
        clock[0] = 10.0
        told.ended(running.pop(0), Outcome("finished", "dev F1 80.12", seconds=10))
        clock[0] = 100.0
        told.ended(running.pop(0), Outcome("finished", "dev F1 80.12", seconds=100))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "[1/4] ner · none · seed 1: dev F1 80.12, 10 s"
    assert second.endswith("100 s; about 2 min left")


def test_without_a_terminal_a_line_now_and_then_says_what_runs(
    clock: list[float], capsys: Shown
) -> None:
    running = [started(1), started(2)]
    with board.Board(running, runs=4, slots=2) as told:
        told.tell()
        clock[0] = 64.0
        told.ended(running.pop(0), Outcome("finished", "dev F1 80.12", seconds=64))
        running.append(started(3))
        clock[0] = 104.0
        told.tell()
        told.tell()
        running *= 3
        clock[0] = 140.0
        told.tell()
        running.clear()
        clock[0] = 180.0
        told.tell()
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == [
        "[1/4] ner · none · seed 1: dev F1 80.12, 64 s; about 64 s left",
        "[1/4] running: ner · none · seed 2 (2 min), ner · none · seed 3 (40 s); about 64 s left",
    ]
    assert len(said) == 3  # of nothing that runs there is no line
    assert said[2].count("seed") == 4
    assert " and 2 more" in said[2]


def test_on_a_terminal_a_table_below_the_lines_says_what_runs(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = StringIO()
    screen = Console(file=written, force_terminal=True, width=60)
    for place in (board, console):
        monkeypatch.setattr(place, "SCREEN", screen)
    monkeypatch.setattr(board, "on_terminal", lambda: True)

    def seen() -> list[str]:
        terminal = Terminal(width=60)
        terminal.feed(written.getvalue().replace("\n", "\r\n"))  # as a terminal's driver does
        return [line.rstrip() for line in terminal.lines if line.strip()]

    running = [started(1), started(20)]
    with board.Board(running, runs=3, slots=2) as told:
        told.tell()
        clock[0] = 30.0
        told.tell()
        assert seen() == [
            "ner · none · seed 1   30 s  1 looks to go",
            "ner · none · seed 20  30 s  20 looks to go",
        ]
        told.ended(running.pop(0), Outcome("finished", "dev F1 80.12", seconds=30))
        told.tell()
        line = "[1/3] ner · none · seed 1: dev F1 80.12, 30 s; about 30 s left"
        assert "".join(seen()) == f"{line}ner · none · seed 20  30 s  20 looks to go"
    assert "".join(seen()) == line
