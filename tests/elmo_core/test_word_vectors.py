"""Word vectors: rows on demand, and what is said of a bad file."""

from __future__ import annotations

import gzip
import hashlib
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from elmo_core.encoders.static import StaticEncoder
from elmo_core.errors import NotFetchedError, OptionsError, WeightsError
from elmo_core.word_vectors import WordVectors

FILE = "the 1 2\nThe 3 4\n. . . 5 6\nA 7 8\né 9 10"  # no newline at its end


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "tiny.2d.txt").write_text(FILE, encoding="utf-8")
    return tmp_path / "tiny.2d.txt"


def test_blank_lines_are_no_words(tmp_path: Path) -> None:
    (tmp_path / "gaps.txt").write_text("the 0.5 1\n\nbank 2 3\n \n\n")
    vectors = WordVectors(tmp_path / "gaps.txt")
    assert (len(vectors), vectors.dim) == (2, 2)
    assert vectors(["bank", ""]).tolist() == [[2, 3], [0, 0]]


def test_rows(path: Path) -> None:
    vectors = WordVectors(path)
    words = ["The", "the", ". . .", "é", "THE", "É", "gone", "\ud800", "."]
    expected = [[3, 4], [1, 2], [5, 6], [9, 10], [1, 2], [9, 10], [0, 0], [0, 0], [0, 0]]
    assert vectors(words).tolist() == expected
    assert vectors(words).tolist() == expected  # what was read once is kept
    assert (len(vectors), vectors.dim) == (5, 2)
    assert vectors.sha256 == hashlib.sha256(FILE.encode()).hexdigest()


def test_a_table_is_in_the_order_of_the_file(path: Path) -> None:
    words, rows = WordVectors(path).table(["é", "gone", ". . .", "The", "É"])
    assert words == ["The", ". . .", "é"]
    assert rows.tolist() == [[3, 4], [5, 6], [9, 10]]
    words, rows = WordVectors(path).table(["gone"])
    assert (words, rows.shape) == ([], (0, 2))


def test_words_that_share_a_hash_are_told_apart(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elmo_core.word_vectors.hash", lambda word: 7, raising=False)
    words = ["é", "gone", "The", "the"]
    assert WordVectors(path)(words).tolist() == [[9, 10], [0, 0], [3, 4], [1, 2]]


def test_a_word2vec_header_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "w2v.txt").write_text("2 3\na 1 2 3 \n2 4 5 6 \n")
    vectors = WordVectors(tmp_path / "w2v.txt")
    assert vectors(["a", "2"]).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert vectors.table(["2"])[0] == ["2"]
    assert len(vectors) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a file, or empty"),
        ("\n\n", "has no words"),
        ("alone\n", "line 1: expected a word and its numbers"),
        ("the 1 2\nbank 1\n", "line 2: expected a word and 2 numbers"),
        ("the 1 2\nbank 1 x\n", "line 2: expected a word and 2 finite numbers"),
        ("the 1 2\nbank 1 1e39\n", "line 2: expected a word and 2 finite numbers"),
        ("the 1 2\nbank 1 1e400\n", "line 2: expected a word and 2 finite numbers"),
        ("the 1 2\nbank 1 nan\n", "line 2: expected a word and 2 finite numbers"),
        ("2 2\nthe 1 2\nbank 1 inf\n", "line 3: expected a word and 2 finite numbers"),
        ("the 1 2\nbank  1 2\n", "line 2: tabs or two spaces"),
        ("the 1 2\nbank\t1 2 3\n", "line 2: tabs or two spaces"),
        ("3 2\nthe 1 2\nbank 3 4\n", "line 1: '3 2' is not the size of the file, '2 2'"),
        ("bank 1 2\nthe 1 2\nbank 1 2\n", "lines 1 and 3: 'bank' stands in the file twice"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(WeightsError, match=message) as caught:
        WordVectors(path)(["bank"])
    assert str(path) in str(caught.value)
    with pytest.raises(WeightsError, match=message):
        WordVectors(path).table(["bank"])


def test_a_word_that_nobody_asks_for_may_be_bad(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("the 1 2\nbank 1 x\nof 3 4\nof 5 6\n")
    assert WordVectors(tmp_path / "v.txt")(["the"]).tolist() == [[1, 2]]


def test_lines_that_ran_together_are_no_word(tmp_path: Path) -> None:
    """Else the words of all but one would be missed, whoever asks for them."""
    path = tmp_path / "v.txt"
    rows = [f"w{i} 1 2\n".encode() for i in range(1000)]
    path.write_bytes(b"".join([*rows, b"bank 3", bytes(4096), b" 4\nthe 5 6\n"]))
    with pytest.raises(WeightsError, match=r"v\.txt, line 1001: not text: it holds NUL bytes"):
        WordVectors(path)
    path.write_bytes(b"bank 1 2\rthe 3 4\r")
    with pytest.raises(WeightsError, match=r"v\.txt: its lines end in carriage returns alone"):
        WordVectors(path)


def test_what_is_no_text_is_called_so(tmp_path: Path) -> None:
    row = b"the " + np.array([1, 2], np.float32).tobytes()
    kinds = {"v.txt.gz": gzip.compress(b"the 1 2\n"), "v.bin": b"1 2\n" + row}
    for name, content in kinds.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(WeightsError, match=rf"{name} is no text file: unpack"):
            WordVectors(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("v.txt", "the 1 2\n")
    with pytest.raises(WeightsError, match="no text file"):
        WordVectors(tmp_path / "v.zip")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"gone\.txt is not a file"):
        WordVectors(tmp_path / "gone.txt")
    with pytest.raises(OptionsError, match="word_vectors=FILE"):
        StaticEncoder(None)


def test_a_published_name(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    with pytest.raises(NotFetchedError, match="not there yet"):
        StaticEncoder("glove.6B.50d")
    (tmp_path / "vectors").mkdir()
    path.rename(tmp_path / "vectors" / "glove.6B.50d.txt")
    assert StaticEncoder("glove.6B.50d").name == "glove.6B.50d"


def test_static_is_one_layer_of_rows(path: Path) -> None:
    encoder = StaticEncoder(path)
    assert (encoder.name, encoder.layers, encoder.dim) == ("tiny.2d", 1, 2)
    assert encoder.parameters == 5 * 2
    one, other = encoder.encode([["the", "é"], ["gone"]])
    assert torch.equal(one, torch.tensor([[[1.0, 2.0], [9.0, 10.0]]]))
    assert torch.equal(other, torch.zeros(1, 1, 2))
