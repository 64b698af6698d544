"""What the files and words of experiments expand to."""

from __future__ import annotations

import pytest

from bench.sweep.expand import written
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
