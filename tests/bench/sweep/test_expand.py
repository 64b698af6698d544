"""What the files and words of experiments expand to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.overrides import parsed
from bench.sweep.expand import written

ODD = ["/tmp/zoé bert", "it's", "#1", "a;b", "a&b", "~x", "!x", "<s>", "true", "null", "1e3", "7"]
PLAIN = {"elmo-mini": "elmo-mini", "my, file.txt": r"my\,\ file.txt", "none": "none"}


@pytest.mark.parametrize("text", [*ODD, *PLAIN, "", " a ", "a\\", r"\'", "a=b", "[x]", "inf"])
def test_a_text_of_a_file_stays_that_text(text: str) -> None:
    for value in (text, [text, 1], {"key": text}):
        (word,) = written({"key": value})
        override = parsed(word)
        assert override is not None
        assert override.value() == value


def test_what_needs_no_quotes_has_none() -> None:
    assert list(written(dict.fromkeys("ab", 1e-3) | {"c": None})) == [
        "a=0.001",
        "b=0.001",
        "c=null",
    ]
    assert list(written({text: text for text in PLAIN})) == [f"{k}={v}" for k, v in PLAIN.items()]


@pytest.mark.parametrize("word", ["elmo={placement: none}", "++elmo={placement: none}"])
def test_a_dictionary_does_not_undo_what_a_column_sets(
    bench: Callable[..., int], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("experiment=table3", "task=snli", "plan=true", f"paths.runs={tmp_path}")
    assert bench(*words, word) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: elmo: table3 sets elmo.placement itself (column ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["experiment=encoders", "experiment.without=columns.CoVe,columns.static"],
            "one value, please; a list stands in brackets: 'experiment.without=[…]'",
        ),
        (
            ["experiment=encoders", "experiment.without=[CoVe]"],
            "CoVe: neither columns.NAME nor rows.NAME; did you mean 'columns.CoVe'?",
        ),
        (["-m", "seed=range(1,1)"], "seed=range(1,1): no values"),
        (["-m", "elmo.l2=range(3,1)"], "elmo.l2=range(3,1): no values"),
    ],
)
def test_lists_without_brackets_and_empty_ones_are_refused(
    bench: Callable[..., int],
    words: list[str],
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench(*words, "plan=true", f"paths.runs={tmp_path}") == 2
    assert expected in capsys.readouterr().err
