"""Other scripts go through the readers that there are: UD treebanks, WikiANN's columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.ner import NER
from tasks.pos import POS
from tasks.task import DataError

TREEBANK = """\
# newdoc id = a
# text = Кошка видит её.
1-2\tКошкавидит\t_\t_\t_\t_\t_\t_\t_\t_
1\tКошка\tкошка\tNOUN\t_\tCase=Nom\t2\tnsubj\t_\t_
2\tвидит\tвидеть\tVERB\t_\t_\t0\troot\t_\t_
2.1\t_\t_\tVERB\t_\t_\t_\t_\t0:root\t_
3\tеё\tона\tPRON\t_\t_\t2\tobj\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""
NAMES = "王芳\tB-PER\n在\tO\n北\tB-LOC\n京\tI-LOC\n。\tO\n\n"


def test_a_treebank_without_tags_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "ru_gsd-ud-train.conllu").write_text(TREEBANK, encoding="utf-8")
    examples = POS(data="open", folder=str(tmp_path), tags="upos").load("train")
    assert examples is not None
    assert examples[0]["tokens"] == ["Кошка", "видит", "её", "."]
    assert examples[0]["tags"] == ["NOUN", "VERB", "PRON", "PUNCT"]
    with pytest.raises(DataError, match=r"line 4: no XPOS \(task.tags=upos"):
        POS(data="open", folder=str(tmp_path), tags="xpos").load("train")


def test_names_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(NAMES, encoding="utf-8")
    examples = NER(data="open", folder=str(tmp_path)).load("train")
    assert examples is not None
    assert examples[0]["tokens"] == ["王芳", "在", "北", "京", "。"]
    assert examples[0]["tags"] == ["B-PER", "O", "B-LOC", "I-LOC", "O"]
