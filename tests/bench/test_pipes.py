"""Verbs whose reader has seen enough, as in `… | head`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.made_up import Maker


def ends(*words: object) -> tuple[int, str]:
    """Run a verb that writes into a closed pipe; return its status and what it complains of."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", *map(str, words)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["bench", "--cfg", "job"],
        ["bench.data", "card", "wnut17"],
        ["bench.runs", "list", "--runs"],
        ["bench.report", "--format=csv"],
    ],
    ids=" ".join,
)
def test_a_closed_pipe_ends_a_verb_without_a_word(words: list[str], tmp_path: Path) -> None:
    Maker(tmp_path).two_columns()
    folder = [tmp_path] if words[0] in ("bench.runs", "bench.report") else []
    assert ends(*words, *folder) == (1, "")


def test_a_closed_pipe_ends_a_preparation(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"Sentence number {i} of them .\n" for i in range(3000)))
    words = ("prepare", text, "-o", tmp_path / "corpus", "--heldout", 0.3)
    status, shown = ends("elmo_core.pretraining", *words)
    assert (status, "Error" in shown) == (1, False)  # a bar is shown, no traceback


def test_a_closed_pipe_ends_predictions(finished_run: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"premise": "A man sleeps.", "hypothesis": "He runs."}\n' * 3)
    assert ends("bench.predict", finished_run, "--input", lines) == (1, "")
