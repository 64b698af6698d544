"""The published files as they are, with what is odd about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.coref import data as coref
from tasks.ner import data as ner
from tasks.snli import data as snli
from tasks.srl import data as srl
from tasks.task import DataError
from tests.faults.files import CONLL_2012, PROPBANK


def test_conll_2003_begins_some_names_with_b_after_o(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its files are IOB1, in which no B- may follow an O; two of their 72 B- tags do."""
    names = "EU NNP I-NP I-ORG\nrejects VBZ I-VP O\nRolf NNP I-NP I-PER\n\n" * 20
    odd = "the DT I-NP O\nReds NNP I-NP B-ORG\nof IN I-PP I-ORG\n"
    text = f"-DOCSTART- -X- O O\n\n{odd}\n{names}"
    (tmp_path / "eng.train").write_text(text)
    found = ner.read(tmp_path, "train")
    assert found is not None
    assert found["tags"][0] == ["O", "B-ORG", "I-ORG"]
    assert found["tags"][1] == ["B-ORG", "O", "B-PER"]
    assert "1 tags may not stand where they stand in IOB1 (the first: line 4)" in caplog.text


@pytest.mark.parametrize(
    ("read", "name", "text"),
    [
        (srl.read, "dev.txt", CONLL_2012),
        (srl.read, "dev.tsv", PROPBANK),
        (lambda f, s: coref.read(f, s, drop_singletons=False), "dev.conll", CONLL_2012),
    ],
)
def test_skeletons_are_told_from_whole_files(
    read: Callable[[Path, str], Any], name: str, text: str, tmp_path: Path
) -> None:
    """What the publisher gives away has no words in it."""
    (tmp_path / name).write_text(text.replace("Ann", "[WORD]"))
    with pytest.raises(DataError, match=rf"{name}, line [12]: a skeleton"):
        read(tmp_path, "dev")


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_a_no_break_space_is_part_of_a_word(separator: str, tmp_path: Path) -> None:
    """So the Web Treebank has it; it divides neither columns nor words."""
    lines = CONLL_2012.replace("Ann", "2\xa01/2").splitlines()
    rows = (line if line[:1] == "#" else line.replace(" ", separator) for line in lines)
    (tmp_path / "dev.conll").write_text("\n".join([*rows, ""]), encoding="utf-8")
    assert (srl.read(tmp_path, "dev") or [])[0]["words"][0] == "2\xa01/2"
    found = coref.read(tmp_path, "dev", drop_singletons=False)
    assert (found or [])[0]["sentences"][0][0] == "2\xa01/2"


def test_the_table_of_snli(tmp_path: Path) -> None:
    """Nothing is quoted; annotators who were not asked leave columns empty, or away."""
    header = "gold_label\tsentence1\tsentence2\tpairID\tlabel1\tlabel2"
    rows = [
        'neutral\t"A man\tHe said "hi.\t1#r1n\tneutral\t',
        "-\tA man.\tB.\t2\tneutral\tentailment",
        "entailment\tA man.\tB.\t3\tentailment",
    ]
    (tmp_path / "snli_1.0_dev.txt").write_bytes("\r\n".join([header, *rows, ""]).encode())
    found = snli.read(tmp_path, "dev")
    assert found is not None
    assert found["id"][:] == ["1#r1n", "3"]
    assert found["premise"][0] == ['"', "A", "man"]
    with (tmp_path / "snli_1.0_dev.txt").open("a") as file:
        file.write("neutral\tA\tB\t4\tneutral\t\ttoo many\n")
    with pytest.raises(DataError, match="line 5: expected 6 columns, found 7"):
        snli.read(tmp_path, "dev")
