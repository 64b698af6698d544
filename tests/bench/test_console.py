"""What is shown while a run is under way: on a terminal, and where there is none."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import console
from tests.bench.small import SMALL
from tests.bench.terminal import Terminal, shown

EPOCH = re.compile(r"epoch (\d+): train loss [\d.]+, dev accuracy [\d.]+, lr [\d.e-]+, \d+ s")


@pytest.fixture
def words(snli_folder: Path, tmp_path: Path) -> list[str]:
    words = [f"data.dir={snli_folder}", f"paths.runs={tmp_path}", "elmo.placement=input"]
    words += ["training.max_epochs=3", "training.patience=9", "training.batch_size=2"]
    return [*SMALL, *words]


@pytest.fixture
def command(words: list[str]) -> list[str]:
    return [sys.executable, "-m", "bench", *words]


def environment() -> dict[str, str]:
    """Ours, without what would tell rich another width."""
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    return {**kept, "TERM": "xterm-256color", "ELMO_BENCH_CACHE": os.environ["ELMO_BENCH_CACHE"]}


def test_the_terminal_of_these_tests() -> None:
    terminal = Terminal(width=10)
    terminal.feed("one\r\nbar bar\r\x1b[2Ktwo\r\n0123456789x\x1b[1A\rA\x1b[?25l")
    assert terminal.lines == ["one", "two", "A123456789", "x"]


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_done_yet_is_no_rate(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of features for which another process was waited for."""
    monkeypatch.setattr(console, "on_terminal", lambda: terminal)
    monkeypatch.setattr(console, "EVERY", 0)
    with console.progress("features", 3, "tokens") as advance:
        advance(0)
        advance(3)


def test_every_epoch_line_is_whole_on_a_terminal(command: list[str]) -> None:
    text, lines = shown(command, environment())
    epochs = [int(match[1]) for line in lines if (match := EPOCH.fullmatch(line))]
    assert epochs == [1, 2, 3], "\n".join(lines)
    assert "epoch 1/3" in text  # the bar, which is gone in the end
    assert "of the run" in text
    assert not [line for line in lines if "━" in line and "epoch" in line]
    assert sum(line.startswith("epoch ") for line in lines) == 3, "\n".join(lines)


def test_a_sweep_has_one_line_a_run_and_the_time_left(command: list[str]) -> None:
    words = ("seed=1,2", "training.max_epochs=2", "hydra/launcher=basic")
    _, lines = shown([*command, "-m", *words], environment())
    done = [
        line for line in lines if re.match(r"\[\d/2\] snli · .*dev accuracy [\d.]+, \d+ s", line)
    ]
    assert len(done) == 2, "\n".join(lines)
    assert re.search(r"about \d+ s left$", done[0])
    assert not EPOCH.search("\n".join(lines))


def test_without_a_terminal_there_is_no_bar(
    bench: Callable[..., int], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "━" not in err
    lines = err.splitlines()
    assert len([line for line in lines if EPOCH.fullmatch(line)]) == 3
    assert not [line for line in lines if "left" in line]  # nothing took half a minute


def test_long_epochs_are_told_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])
    rest = lambda left: f", at most {console.duration(left + 600)} of the run"  # noqa: E731
    counter = console.Counter("epoch 3/5", 1200, "batches", rest, ", dev so far 61.20")
    for _ in range(412):
        clock[0] += 0.25
        counter.advance()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3  # in 103 seconds
    assert lines[0] == (
        "epoch 3/5: 120/1,200 batches, dev so far 61.20, "
        "about 4 min left, at most 14 min of the run"
    )


def test_progress_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])
    with console.progress("encoding", 3000, "tokens") as advance:
        clock[0] = 40.0
        advance(1000)
    assert capsys.readouterr().err == "encoding: 1,000/3,000 tokens, about 80 s left\n"
