"""An experiment whose columns are the same run has nothing to compare."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


def test_word_dropout_does_nothing_to_words_of_a_file(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "vectors.txt").write_text("the 0.5\n")
    words = ["experiment=word-dropout", "task=ner", "plan=true", f"paths.runs={tmp_path / 'runs'}"]
    assert bench(*words, f"word_vectors={tmp_path / 'vectors.txt'}") == 2
    said = capsys.readouterr().err
    assert f"row NER · none: its columns without, with are one run ({tmp_path}" in said


def test_one_run_may_fill_two_columns_of_three(bench: Callable[..., int], tmp_path: Path) -> None:
    more = "+experiment.columns.again={elmo.placement: none}"
    words = ["experiment=encoders", "task=ner", "experiment.without=[columns.CoVe,columns.static]"]
    assert bench(*words, more, "plan=slurm", f"paths.runs={tmp_path / 'runs'}") == 0
