"""Files of semantic roles: which are read, and that all of them are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.srl.data import CONLL_2005, FOLDERS, names, read
from tasks.srl.task import SRL
from tasks.task import DataError

ROWS = "{0} 0 0 He XX * - - - - * (A0*) -\n{0} 0 1 ran XX * run 01 - - * (V*) -\n\n"


def test_a_folder_s_files_are_all_read(tmp_path: Path) -> None:
    """A sentence's name tells its document, and no two sentences share one."""
    for name in ("b", "a"):
        path = tmp_path / "train" / f"{name}.v4_gold_conll"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#begin document ({name}); part 0\n{ROWS.format(name) * 2}#end document\n")
    found = read(tmp_path, "train")
    assert found is not None
    assert found["sentence"][:] == ["a:1", "a:2", "b:3", "b:4"]
    assert found["words"][:] == [["He", "ran"]] * 4


def test_no_two_splits_share_a_file() -> None:
    for known in (CONLL_2005, FOLDERS, {split: names(split) for split in FOLDERS}):
        every = [name for split in ("train", "dev", "test") for name in known[split]]
        assert len(set(every)) == len(every)
    assert CONLL_2005["test"][0] == "test.wsj"  # and not Brown's


def test_the_predicates_are_those_that_the_file_marks(tmp_path: Path) -> None:
    """Where they are as many as the columns of brackets, whatever role they have there."""
    rows = ROWS.replace("(V*)", "(A1*)").format("x")
    (tmp_path / "dev.conll").write_text(f"#begin document (x); part 0\n{rows}")
    (found,) = read(tmp_path, "dev") or ()
    assert (found["predicate"], found["lemma"], found["tags"]) == (1, "run", ["B-A0", "B-A1"])


def test_ontonotes_in_one_file_is_found(tmp_path: Path) -> None:
    """Under the name that coreference's copy has."""
    rows = ROWS.format("x")
    path = tmp_path / "train.english.v4_gold_conll"
    path.write_text(f"#begin document (x); part 0\n{rows}#end document\n")
    assert len(read(tmp_path, "train") or ()) == 1


def test_columns_without_their_document_s_line_are_told(tmp_path: Path) -> None:
    (tmp_path / "dev.conll").write_text(ROWS.format("x"))
    with pytest.raises(DataError, match="line 1: CoNLL-2012's columns, but no '#begin document'"):
        read(tmp_path, "dev")


@pytest.mark.parametrize("empty", [0, 4, 5])
def test_an_empty_column_is_refused(empty: int, tmp_path: Path) -> None:
    """The document's name, the part of speech, the parse: as a table writes what is missing."""
    words = ("He", "*", "-", "-", "(A0*)"), ("ran", "*", "run", "run.01", "(V*)")
    rows = [["d", "0", f"{i}", w, "XX", p, *more] for i, (w, p, *more) in enumerate(words)]
    path = tmp_path / "dev.tsv"
    path.write_text("\n".join("\t".join(row) for row in rows) + "\n")
    (whole,) = read(tmp_path, "dev") or ()
    assert whole["words"] == ["He", "ran"]
    for row in rows:
        row[empty] = ""
    path.write_text("\n".join("\t".join(row) for row in rows) + "\n")
    with pytest.raises(DataError, match=r"dev\.tsv, line 1: an empty column \(write - for noth"):
        read(tmp_path, "dev")


def test_folders_of_other_splits_are_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "development").mkdir()
    with pytest.raises(DataError, match="no train file of srl") as refusal:
        SRL(data="open", folder=str(tmp_path)).load("train")
    assert "is a folder" not in str(refusal.value)
