"""Raw and tokenised text → sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from elmo_core.errors import TextError
from elmo_core.text.sentences import guess, read_sentences, split_sentences

RAW = """\
Mr. Brown slept badly. “Where is
it?” asked he.  (Nobody knew.) "So be it!" He
left... and came back.

CHAPTER TWO

It isn't so; it cost $3.50.
"""


def joined(paragraph: str) -> list[str]:
    return [" ".join(words) for words in split_sentences(paragraph)]


def test_raw_text_is_split_at_full_stops_and_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text(RAW)
    assert [" ".join(words) for words in read_sentences(path, "raw")] == [
        "Mr. Brown slept badly .",
        "“ Where is it ? ” asked he .",
        "( Nobody knew . )",
        '" So be it ! "',
        "He left ... and came back .",
        "CHAPTER TWO",
        "It is n't so ; it cost $ 3.50 .",
    ]


def test_an_opening_mark_belongs_to_the_next_sentence() -> None:
    found = joined("He sat down. ‘Well?’ ‘Nothing.’")
    assert found == ["He sat down .", "‘ Well ? ’", "‘ Nothing . ’"]


def test_the_two_forms_tell_themselves_apart(tmp_path: Path) -> None:
    raw, tokenised = tmp_path / "raw", tmp_path / "tokenised"
    raw.write_text(RAW)
    tokenised.write_text("Mr. Brown slept badly , alas .\n\nHe did n't .\n")
    assert (guess(raw), guess(tokenised)) == ("raw", "tokenised")
    assert list(read_sentences(tokenised)) == [
        ["Mr.", "Brown", "slept", "badly", ",", "alas", "."],
        ["He", "did", "n't", "."],
    ]


def test_a_byte_order_mark_and_windows_line_ends_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "windows"
    path.write_bytes("\ufeffone two\r\nthree\r\n".encode())
    assert list(read_sentences(path, "tokenised")) == [["one", "two"], ["three"]]


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes(b"good\ncaf\xe9\n")
    with pytest.raises(TextError, match="latin, line 2: not UTF-8"):
        list(read_sentences(path, "raw"))
