"""Bytes that are not the text that was meant: other encodings, byte order marks, lost blocks."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset

from tasks.base.text_files import read_lines
from tasks.task import DataError
from tests.conftest import TINY_ENCODER
from tests.faults.files import Kind

TEXTS = [
    *("ner columns", "conllu", "ontogum", "coref columns", "srl conll-2012", "srl propbank"),
    *("srl 2005", "srl skeleton", "sst trees", "ptb", "snli jsonl", "snli txt", "sst jsonl"),
    *("squad json", "wsd semcor/semcor.data.xml", "wsd semcor/semcor.gold.key.txt"),
    "wsd index.sense",
]


def found(kind: Kind, content: bytes, folder: Path) -> Any:
    kind.write(folder, content)
    examples = kind.read(folder)
    return examples.to_list() if isinstance(examples, Dataset) else examples


@pytest.mark.parametrize("name", TEXTS)
def test_a_byte_order_mark_changes_nothing(
    name: str, every_kind: dict[str, Kind], tmp_path: Path
) -> None:
    kind = every_kind[name]
    marked = found(kind, b"\xef\xbb\xbf" + kind.content, tmp_path / "marked")
    assert marked == found(kind, kind.content, tmp_path / "plain")


@pytest.mark.parametrize("wrong", [b"\xe9", b"\xed\xa0\x80", b"\0" * 4096])
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_not_utf8_is_refused_with_its_place(
    name: str, wrong: bytes, every_kind: dict[str, Kind], tmp_path: Path
) -> None:
    kind = every_kind[name]
    at = len(kind.content) - 3
    broken = kind.content[:at] + wrong + kind.content[at:]
    with pytest.raises(DataError) as caught:
        found(kind, broken, tmp_path)
    line = 1 + broken[: at + 1].count(b"\n")
    place = "" if name == "squad json" else f", line {line}"
    assert str(caught.value).startswith(f"{tmp_path / kind.path}{place}: not ")


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.endswith((".xml", " json"))])
def test_lines_that_end_in_carriage_returns_alone_are_refused(
    name: str, every_kind: dict[str, Kind], tmp_path: Path
) -> None:
    """They would be one line, which some readers take for one token, or for a comment."""
    kind = every_kind[name]
    with pytest.raises(DataError) as caught:
        found(kind, kind.content.replace(b"\n", b"\r"), tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / kind.path}: its lines end in carriage return")


def test_the_command_ends_with_status_2_and_one_line(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.conllu").write_bytes(b"1\tna\xefve\t_\tADJ\tJJ\t_\t0\troot\t_\t_\n")
    (tmp_path / "dev.conllu").write_bytes(b"")
    run = ("task=pos", f"data.dir={tmp_path}", f"paths.runs={tmp_path}/runs", "trainer=cpu")
    assert bench(*run, *TINY_ENCODER) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith(f"error: {tmp_path}/train.conllu, line 1: not UTF-8")


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("one\u2028still\x85\x0cone\r\ntwo\rtwo\n\nfour".encode())
    lines = [(1, "one\u2028still\x85\x0cone"), (2, "two\rtwo"), (3, ""), (4, "four")]
    assert list(read_lines(path)) == lines
    packed = tmp_path / "x.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_lines(packed)) == lines


@pytest.mark.parametrize(
    "harm", [lambda b: b[:-9], lambda b: b[:30] + b"xx" + b[32:], lambda b: b"no"]
)
def test_a_damaged_gz_is_refused(harm: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_bytes(harm(gzip.compress(bytes(range(10, 127)) * 9)))
    with pytest.raises(DataError, match=r"x\.txt\.gz: a damaged \.gz"):
        list(read_lines(path))
