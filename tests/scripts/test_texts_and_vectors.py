"""The scripts that make texts and word vectors for encoders of one's own."""

from __future__ import annotations

import runpy
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from elmo_core.word_vectors import WordVectors
from tests.scripts.conftest import SCRIPTS, Script


def test_texts_of_sets_as_they_are_fetched(tmp_path: Path) -> None:
    row = {"premise": "A man .", "hypothesis": "He .", "label": 0}
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "train.parquet")
    snli = runpy.run_path(str(SCRIPTS / "task_texts.py"))["snli"]
    assert [*snli(tmp_path, "train")] == [["A", "man", "."], ["He", "."]]


def test_word_vectors_of_all_files_of_a_folder_but_their_own(
    tmp_path: Path, script: Script
) -> None:
    (tmp_path / "one.txt").write_text("a cat sees a dog .\n")
    (tmp_path / "two").write_text("the bird sings .\n")
    out = tmp_path / "vectors.txt"
    for _ in range(2):
        status, _, err = script("word_vectors.py", tmp_path, "-o", out)
        assert status == 0, err
        assert "10 tokens, 8 types" in err
    assert WordVectors(out).table(["cat", "bird"])[0] == ["cat", "bird"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no such file"), (b"\n \n", "the text is empty"), (b"\xff\n", "line 1: not UTF-8")],
)
def test_no_word_vectors_without_a_text(
    tmp_path: Path, content: bytes | None, message: str, script: Script
) -> None:
    text = tmp_path / "text.txt"
    if content is not None:
        text.write_bytes(content)
    status, _, err = script("word_vectors.py", text, "-o", tmp_path / "vectors.txt")
    assert status == 2
    assert message in err.splitlines()[-1]
    assert not (tmp_path / "vectors.txt").exists()


def test_a_hashtag_is_a_word_and_a_document_s_line_is_none(tmp_path: Path) -> None:
    tweet, document = tmp_path / "tweet", tmp_path / "document"
    tweet.write_text("#Oslo\tO\nis\tO\n\n")
    document.write_text("#begin document (a); part 000\na 0 0 Hello\n\n#end document\n")
    columns = runpy.run_path(str(SCRIPTS / "task_texts.py"))["columns"]
    assert [*columns(tweet, 0), *columns(document, 3)] == [["#Oslo", "is"], ["Hello"]]


def test_only_tabs_and_blanks_divide_columns_and_only_line_feeds_lines(tmp_path: Path) -> None:
    tweet, document = tmp_path / "tweet", tmp_path / "document"
    tweet.write_bytes("foo\x85\tO\r\nbar\u2028\tO\n\t\n\x0bbaz\x0c\tO\n".encode())
    document.write_text("a  0 \t0   10\xa0000 -\n\n")
    columns = runpy.run_path(str(SCRIPTS / "task_texts.py"))["columns"]
    assert [*columns(tweet, 0)] == [["foo\x85", "bar\u2028"], ["\x0bbaz\x0c"]]
    assert [*columns(document, 3)] == [["10\xa0000"]]


@pytest.mark.parametrize("what", ["sst5", "columns", "litbank"])
def test_a_set_that_is_not_there_is_told(tmp_path: Path, what: str) -> None:
    texts = runpy.run_path(str(SCRIPTS / "task_texts.py"))
    calls = {
        "sst5": lambda: [*texts["sst5"](tmp_path, "train")],
        "columns": lambda: [*texts["columns"](tmp_path / "no.conll", 0)],
        "litbank": lambda: [name for name, _ in texts["train"](tmp_path)],
    }
    with pytest.raises(SystemExit, match="error: "):
        calls[what]()
