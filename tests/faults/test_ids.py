"""Names that occur twice, or that are none; words that are empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.base.files import to_dataset
from tasks.coref import data as coref
from tasks.formats.conllu import read_sentences
from tasks.formats.treebank import unescape
from tasks.task import DataError
from tasks.wsd import data as wsd
from tasks.wsd.inventory import read_first_senses
from tests.faults.files import CONLL_2012, CONLLU


@pytest.mark.parametrize("odd", ["-1", "²", "٣", "3", "x", "", "1-", "01", "9" * 5000])
def test_conllu_ids_count(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(CONLLU.replace("\n2\t,", f"\n{odd}\t,"))
    with pytest.raises(DataError, match=r"x\.conllu, line 4: expected the id 2, found '"):
        list(read_sentences(path))


@pytest.mark.parametrize("form", ["", " ", "\xa0"])
def test_a_word_of_conllu_is_not_empty(form: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(CONLLU.replace("3\tit\t", f"3\t{form}\t"))
    with pytest.raises(DataError, match=r"line 5: the word is empty"):
        list(read_sentences(path))


def test_unescaping_never_empties_a_word() -> None:
    assert unescape("\\") == "\\"
    assert unescape("\\/") == "/"


def test_an_instance_of_word_senses_occurs_once(wsd_folder: Path) -> None:
    path = wsd_folder / "semcor" / "semcor.data.xml"
    path.write_text(path.read_text().replace("d001.s000.t000", "d000.s000.t000"))
    with pytest.raises(
        DataError, match=r"xml, line 21: the instance d000\.s000\.t000 occurs twice"
    ):
        wsd.read(wsd_folder, "train")


def test_an_inventory_has_a_sense(tmp_path: Path) -> None:
    (tmp_path / "index.sense").write_text("")
    with pytest.raises(DataError, match="no sense in it"):
        read_first_senses(tmp_path / "index.sense")
    (tmp_path / "index.sense").write_text(f"bank%1:17:01:: 09213565 {'9' * 5000} 25\n")
    with pytest.raises(DataError, match="line 1: expected a sense"):
        read_first_senses(tmp_path / "index.sense")


def test_a_mention_is_in_its_cluster_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "dev.conll").write_text(CONLL_2012.replace("(3)\n", "(3)|(3)\n"))
    caplog.set_level("INFO", "tasks")
    found = coref.read(tmp_path, "dev", drop_singletons=False)
    assert found is not None
    assert found["clusters"][0] == [[[0, 0], [3, 3]], [[1, 3]]]
    assert "1 mentions stand twice in a cluster, taken once" in caplog.text


@pytest.mark.parametrize("part", ["9" * 5000, "٣", "x"])
def test_the_part_of_a_document_is_a_number(part: str, tmp_path: Path) -> None:
    (tmp_path / "dev.conll").write_text(CONLL_2012.replace("part 000", f"part {part}"))
    with pytest.raises(DataError, match="line 1: expected '#begin document"):
        coref.read(tmp_path, "dev", drop_singletons=False)


def test_examples_of_one_id_are_refused() -> None:
    with pytest.raises(DataError, match="x: the id 'a' occurs twice"):
        to_dataset([{"id": "a"}, {"id": "b"}, {"id": "a"}], Path("x"))
