"""What the files and words of experiments expand to."""

from __future__ import annotations

import pytest
from hydra import compose, initialize_config_dir

from bench.config import CONF, register
from bench.sweep.expand import of_experiment, written
from bench.words import parsed

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


@pytest.mark.parametrize("name", ["lambda", "layers"])
def test_tasks_of_which_a_file_has_numbers_may_be_missing(name: str) -> None:
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        node = compose("config", overrides=[f"experiment={name}"]).experiment
    cells, _ = of_experiment(name, node, [], ["ner", "pos"], "ner")
    assert {cell.row for cell in cells} == {"ner"}
