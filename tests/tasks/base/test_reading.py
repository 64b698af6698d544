"""Files of tasks, read line by line or row by row, and made a Dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tasks.base import text_files
from tasks.base.files import find, to_dataset
from tasks.base.parquet import read_rows
from tasks.base.text_files import read_lines
from tasks.task import DataError


def test_a_line_ends_with_its_line_feed_alone(tmp_path: Path) -> None:
    """An empty last column, or a no-break space, is a part of it."""
    path = tmp_path / "x.txt"
    path.write_bytes("a\t\nb \r\nc\u00a0\n\nlast\t".encode())
    lines = ["a\t", "b ", "c\u00a0", "", "last\t"]
    assert list(read_lines(path)) == list(enumerate(lines, start=1))


def test_a_line_that_is_too_long_is_not_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "LONGEST", 10)
    path = tmp_path / "x.txt"
    path.write_text("a\n12345678\n")
    assert [line for _, line in read_lines(path)] == ["a", "12345678"]
    path.write_text("a\n" + 12 * "x")
    with pytest.raises(DataError, match=r"x\.txt, line 2: more than"):
        list(read_lines(path))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").touch()
    assert find(tmp_path, ["one", "two"]) == tmp_path / "two"
    assert find(tmp_path, ["one"]) is None


def test_every_row_has_the_columns_of_the_first(tmp_path: Path) -> None:
    """Rows are taken in by the ten thousand: what is empty in all of a portion has a type, too."""
    rows: list[dict[str, Any]] = [{"id": f"{i}", "spans": [[i, i]]} for i in range(10_000)]
    rows += [{"id": "last", "spans": []}]
    examples = to_dataset(iter(rows), tmp_path)
    assert examples.column_names == ["id", "spans"]
    assert [len(examples), examples[9_999], examples[10_000]] == [10_001, rows[-2], rows[-1]]


def test_a_later_value_does_not_take_the_type_of_the_first_ones(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"id": f"{i}", "score": 4, "title": None} for i in range(10_000)]
    last = {"id": "last", "score": 3.5, "title": "x"}
    assert to_dataset([*rows, last], tmp_path)[10_000] == last


@pytest.mark.parametrize(
    ("key", "said"),
    [("gold", "examples differ in the type of a value"), ("more", "not all examples have 'more'")],
)
@pytest.mark.parametrize("before", [1, 10_000])
def test_examples_that_do_not_go_together_are_told(before: int, key: str, said: str) -> None:
    rows: list[dict[str, Any]] = [{"id": f"{i}", "gold": True} for i in range(before)]
    with pytest.raises(DataError, match=rf"^a\.jsonl: {said}"):
        to_dataset([*rows, {"id": "last", "gold": True, key: "no"}], Path("a.jsonl"))


def test_a_file_without_examples_is_refused() -> None:
    with pytest.raises(DataError, match=r"^empty\.jsonl: no examples left"):
        to_dataset([], Path("empty.jsonl"))


def test_rows_of_parquet_are_counted_from_1(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table = pa.table({"text": ["a", "b"], "label": [0, 1], "more": [None, None]})
    parquet.write_table(table, path, row_group_size=1)
    rows = [{"text": "a", "label": 0}, {"text": "b", "label": 1}]
    assert list(read_rows(path, "text", "label")) == list(enumerate(rows, start=1))
    with pytest.raises(DataError, match=r"x\.parquet: no column words or tags$"):
        list(read_rows(path, "text", "words", "tags"))
