"""Words of a text, each with its place in it."""

from __future__ import annotations

import pytest

from tasks.squad.tokens import tokenise


def test_words_cover_the_text() -> None:
    text = "  He paid US$60–70 million.[4] ``Why−not'' snake_case __x__\n20°C/h"
    tokens = tokenise(text)
    rest = list(text)
    for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
        assert text[start:end] == word or (text[start:end], word) in (
            ("``", '"'),
            ("''", '"'),
            ("−", "-"),
        )
        rest[start:end] = " " * (end - start)
    assert "".join(rest).strip() == ""
    assert tokens.starts == sorted(tokens.starts)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("O'Brien’s", ["O", "'", "Brien", "’", "s"]),
        ("$60–70", ["$", "60", "–", "70"]),
        ("word—word", ["word", "–", "word"]),
        ("million.[4]", ["million", ".", "[", "4", "]"]),
        ("snake_case", ["snake", "_", "case"]),
        ("a__b", ["a__b"]),
        ("“so”", ["“", "so", "”"]),
    ],
)
def test_what_is_split(text: str, words: list[str]) -> None:
    assert tokenise(text).words == words
