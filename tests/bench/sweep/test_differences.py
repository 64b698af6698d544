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
    assert "without, with: in each row these columns are the same runs" in said


@pytest.mark.parametrize(
    "words",
    [
        # two columns of three, a row of several, one seed of several
        ["experiment=encoders", "+experiment.columns.again={elmo.placement: none}"],
        ["experiment=layers", "+experiment.rows.a={elmo.placement: none}", "+experiment.rows.b={}"],
        ["experiment=draws", "seed=0,1", "experiment.without=[columns.none]"],
    ],
)
def test_some_columns_may_be_the_same_runs(
    words: list[str], bench: Callable[..., int], tmp_path: Path
) -> None:
    assert bench(*words, "task=ner", "plan=slurm", f"paths.runs={tmp_path / 'runs'}") == 0
