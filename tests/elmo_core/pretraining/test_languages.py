"""Text of other languages on its way to a biLM: words, sentences, and the bytes of a word."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from elmo_core.bilm.chars import word_ids
from elmo_core.pretraining.prepare import TRAIN, Request, prepare
from elmo_core.text.sentences import split_sentences


def test_russian_is_split_like_english() -> None:
    sentences = list(split_sentences("Анна читает. «Где?» спросил он. Пётр, сын её, спит!"))
    assert sentences == [
        ["Анна", "читает", "."],
        ["«", "Где", "?", "»", "спросил", "он", "."],
        ["Пётр", ",", "сын", "её", ",", "спит", "!"],
    ]


@pytest.mark.parametrize(
    ("language", "found", "of"),
    [
        *(("uk", 9, 9), ("ru", 8, 8), ("el", 6, 6), ("fi", 5, 5), ("he", 10, 10), ("vi", 7, 7)),
        *(("hi", 9, 10), ("ne", 5, 5), ("ar", 5, 5), ("fa", 5, 5)),
        *(("hy", 0, 4), ("zh", 0, 6)),
    ],
)
def test_how_many_sentences_of_a_language_are_found(language: str, found: int, of: int) -> None:
    """The table of docs/languages.md: spaCy's examples that end with a mark, put in a row."""
    examples = [text.strip() for text in import_module(f"spacy.lang.{language}.examples").sentences]
    row = [text for text in examples if text[-1] in ".!?…。！？।؟۔։"]
    sentences = ["".join(words) for words in split_sentences(" ".join(row))]
    assert len(row) == of
    assert sum("".join(text.split()) in sentences for text in row) == found


def test_tokenised_text_is_kept_word_for_word(tmp_path: Path) -> None:
    lines = [f"王芳 在 {word} 工作 {i} 天 。" for i in range(800) for word in ("北京", "银行")]
    (tmp_path / "zh.txt").write_text("\n".join(lines), encoding="utf-8")
    prepare([tmp_path / "zh.txt"], tmp_path / "out", Request(form="tokenised", heldout=0.3))
    written = (tmp_path / "out" / TRAIN / "zh.txt").read_text(encoding="utf-8").splitlines()
    assert written
    assert set(written) <= set(lines)


@pytest.mark.parametrize(("letter", "most"), [("a", 48), ("я", 24), ("字", 16), ("അ", 16)])
def test_a_word_is_48_bytes(letter: str, most: int) -> None:
    """What stands behind them, a biLM of byte characters cannot tell apart."""
    assert word_ids(letter * most) != word_ids(letter * (most - 1))
    assert word_ids(letter * most) == word_ids(letter * (most + 1))
