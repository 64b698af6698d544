"""OntoGUM's CoNLL-U → the columns of CoNLL-2012."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elmo_core.downloads.archives import unpack
from tasks.base.published import MARK
from tasks.coref.columns import read_columns
from tasks.coref.ontogum import SPLITS, columns, documents, prepare
from tasks.coref.sources import GUM_COMMIT, ONTOGUM
from tasks.formats.conllu import read_conllu
from tasks.task import DataError
from tests.conftest import shared

CONLLU = """\
# newdoc id = GUM_news_rolf
# global.Entity = GRP
# speaker = Anna  Ek
# text = Rolf's dog barks.
1-2\tRolf's\t_\t_\t_\t_\t_\t_\t_\t_
1\tRolf\tRolf\tPROPN\tNNP\t_\t3\tnmod\t_\tDiscourse=x:1|Entity=(2(1)
2\t's\t's\tPART\tPOS\t_\t1\tcase\t_\t_
3\tdog\tdog\tNOUN\tNN\t_\t4\tnsubj\t_\tEntity=2)|SpaceAfter=No
4\tbarks\tbark\tVERB\tVBZ\t_\t0\troot\t_\t_
4.1\tbarks\tbark\tVERB\tVBZ\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# text = He
1\tHe\the\tPRON\tPRP\t_\t0\troot\t_\tEntity=(1)(2)
"""


def test_a_document(tmp_path: Path) -> None:
    path = tmp_path / "GUM_news_rolf.conllu"
    path.write_text(CONLLU)
    (document,) = read_conllu(path)
    text = columns(document, path)
    assert text.splitlines() == [
        "#begin document (GUM_news_rolf); part 000",
        "GUM_news_rolf\t0\t0\tRolf\tNNP\t-\t-\t-\t-\tAnna_Ek\t*\t(2|(1)",
        "GUM_news_rolf\t0\t1\t's\tPOS\t-\t-\t-\t-\tAnna_Ek\t*\t-",
        "GUM_news_rolf\t0\t2\tdog\tNN\t-\t-\t-\t-\tAnna_Ek\t*\t2)",
        "GUM_news_rolf\t0\t3\tbarks\tVBZ\t-\t-\t-\t-\tAnna_Ek\t*\t-",
        "GUM_news_rolf\t0\t4\t.\t.\t-\t-\t-\t-\tAnna_Ek\t*\t-",
        "",
        "GUM_news_rolf\t0\t0\tHe\tPRP\t-\t-\t-\t-\t-\t*\t(1)|(2)",
        "",
        "#end document",
        "",
    ]
    (tmp_path / "dev.conll").write_text(text)
    (read,) = read_columns(tmp_path / "dev.conll")
    assert read.speakers == [["Anna_Ek"] * 5, [""]]
    assert sorted(map(sorted, read.clusters)) == [[(0, 0), (5, 5)], [(0, 2), (5, 5)]]


@pytest.mark.parametrize("mention", ["(person-3", "(3[1/2]", "3"])
def test_other_mentions_are_refused(mention: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(CONLLU.replace("Entity=2)", f"Entity={mention}"))
    (document,) = read_conllu(path)
    with pytest.raises(DataError, match=r"x\.conllu, line 8: malformed mention"):
        columns(document, path)


def test_a_copy_without_speakers_is_another_version(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(json.dumps({"version": GUM_COMMIT}))
    with pytest.raises(DataError, match=r"of ontogum, not \w+ with speakers: remove it"):
        ONTOGUM.is_in(tmp_path)


def test_the_division() -> None:
    assert [len(documents(split)) for split in SPLITS] == [128, 20, 20]
    names = [name for split in SPLITS for name in documents(split)]
    assert len(set(names)) == len(names)
    for split in SPLITS:
        assert documents(split) == sorted(documents(split))


def test_the_shared_files_byte_for_byte(tmp_path: Path) -> None:
    """The CoNLL-U files are made of them: what is tested is the layout, and the names."""
    archive, made = tmp_path / "coref.tar.xz", tmp_path / "made"
    archive.write_bytes(shared("data/coref.tar.xz").read_bytes())
    unpack(archive, tmp_path, lambda n: n.rsplit("/", 1)[-1] if "ontogum/" in n else None)
    for split in ("train", "dev"):
        for text in (tmp_path / f"{split}.conll").read_text().split("#begin document (")[1:]:
            name, _, rest = text.partition("); part 000\n")
            (tmp_path / f"{name}.conllu").write_text(f"# newdoc id = {name}\n{conllu(rest)}")
    for name in documents("test"):
        (tmp_path / f"{name}.conllu").write_text("")
    prepare(tmp_path, made)
    for split in ("train", "dev"):
        assert (made / f"{split}.conll").read_bytes() == (tmp_path / f"{split}.conll").read_bytes()


def conllu(text: str) -> str:
    """The rows of a document as CoNLL-U."""
    rows = []
    for line in text.partition("#end")[0].splitlines():
        fields = line.split("\t")
        if len(fields) == 1:
            rows.append("")
            continue
        cell = fields[11]
        misc = "_" if cell == "-" else f"Discourse=a:1|Entity={cell.replace('|', '')}|MSeg=b"
        number = str(int(fields[2]) + 1)
        rows.append("\t".join([number, fields[3], "_", "X", fields[4], "_", "0", "x", "_", misc]))
    return "\n".join(rows)
