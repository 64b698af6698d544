"""Dev and test that stand in training are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.run import copies

Bench = Callable[..., int]


def write(folder: Path, **splits: range) -> Path:
    """Write a sentence of named entities for each number of each split."""
    folder.mkdir()
    for split, numbers in splits.items():
        rows = [f"w{number} B-PER\nsleeps O\n" for number in numbers]
        (folder / f"{split}.txt").write_text("\n".join(rows))
    return folder


def told(bench: Bench, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    words = ("task=ner", "elmo.placement=none", "trainer=cpu", "training.max_epochs=1")
    assert bench(*words, f"data.dir={folder}", f"paths.runs={folder / 'runs'}") == 0
    said = capsys.readouterr()
    return [line for line in (said.out + said.err).splitlines() if "stand in train" in line]


def test_a_file_given_twice_is_told(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = write(tmp_path / "same", train=range(20), dev=range(20), test=range(12, 28))
    assert told(bench, same, capsys) == [
        "dev: 20 of 20 examples stand in train, too: its scores say little of new text",
        "test: 8 of 16 examples stand in train, too: its scores say little of new text",
    ]
    own = write(tmp_path / "own", train=range(20), dev=range(18, 38), test=range(90, 99))
    assert told(bench, own, capsys) == []


def test_of_many_examples_every_nth_is_looked_at(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(copies, "LOOKED_AT", 8)
    same = write(tmp_path / "same", train=range(20), dev=range(20))
    (line,) = told(bench, same, capsys)
    assert line.startswith("dev: about 20 of 20 examples")
