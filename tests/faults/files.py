"""A small whole file of every kind that is read, and its reader."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.bilm.weights import load, load_hdf5, save, write_hdf5
from elmo_core.downloads.archives import unpack
from elmo_core.text.tokenizer import tokenize
from elmo_core.word_vectors import WordVectors
from tasks.coref import data as coref
from tasks.coref import ontogum
from tasks.formats import tagged as pos
from tasks.formats.conllu import read_conllu
from tasks.ner import data as ner
from tasks.snli import data as snli
from tasks.squad import data as squad
from tasks.srl import data as srl
from tasks.srl.propbank_ewt import read_skeleton
from tasks.sst5 import data as sst5
from tasks.wsd import data as wsd
from tests.elmo_core.conftest import TINY
from tests.tasks.wsd.wsd_set import write_wsd


@dataclass(frozen=True)
class Kind:
    """A file that is mutated, those that lie beside it, and what reads it from their folder."""

    path: str
    content: bytes
    read: Callable[[Path], Any]
    beside: Mapping[str, bytes] = field(default_factory=dict)

    def write(self, folder: Path, content: bytes) -> None:
        """Write the file with this content, and those beside it as they are."""
        for path, whole in (*self.beside.items(), (self.path, content)):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(whole)


def data_kinds(folder: Path) -> dict[str, Kind]:
    """Every kind of data and weights by its name; `folder` is for what is needed to make them."""
    tokenize("This loads spaCy, which is not to be measured.")
    return {
        **dict(_columns()),
        **dict(_trees()),
        **dict(_json()),
        **dict(_parquet()),
        **dict(_senses(folder / "wsd")),
        **dict(_archives()),
        **dict(_models(folder)),
    }


CONLL_2003 = """-DOCSTART- -X- -X- O

EU NNP B-NP I-ORG
rejects VBZ B-VP O
German JJ B-NP I-MISC
call NN I-NP O

Peter NNP B-NP I-PER
Blackburn NNP I-NP I-PER
Naïve NNP I-NP B-PER

"""
CONLLU = """# newdoc id = GUM_news_x
# text = No, it isn't.
1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\tEntity=(1)
2\t,\t,\tPUNCT\t,\t_\t1\tpunct\t_\t_
3\tit\tit\tPRON\tPRP\t_\t1\tx\t_\tEntity=(2(3)
4-5\tisn't\t_\t_\t_\t_\t_\t_\t_\t_
4\tis\tbe\tAUX\tVBZ\t_\t1\tx\t_\tEntity=2)
5\tn't\tnot\tPART\tRB\t_\t1\tx\t_\t_
5.1\tso\tso\tADV\tRB\t_\t1\tx\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\tEntity=(1)|SpaceAfter=No
"""
CONLL_2012 = """#begin document (nw/wsj/00/wsj_0001); part 000
nw 0 0 Ann NNP (S* - - - spk (PER) (ARG0*) * (3)
nw 0 1 gave VBD * give 01 1 spk * (V*) * (4
nw 0 2 what WP * - - - spk * (ARG1* (R-ARG1*) -
nw 0 3 she PRP * - - - spk * * (ARG0*) (3)|4)
nw 0 4 made VBD *) make 02 1 spk * *) (V*) -

nw 0 0 Yes UH * - - - - * -

#end document
"""
PROPBANK = """x.xml\t0\t0\tAnn\tNNP\t(S*\t-\t-\t(ARG0*)
x.xml\t0\t1\tgave\tVBD\t*\tgive\tgive.01\t(V*)
x.xml\t0\t2\tup\tRP\t*)\t-\t-\t(ARG1*)

x.xml\t1\t0\tYes\tUH\t*\t-\t-
"""
CONLL_2005 = """Ann NNP (S* - - (A0*)
gave VBD * 01 give (V*)
up RP *) - - (A1*)

"""
SKELETON = "x 0 0 [WORD] NNP (S* - -\nx 0 1 [WORD] VBD *) give give.01 (V*)\n\n"


def _columns() -> Iterator[tuple[str, Kind]]:
    def documents(folder: Path) -> Any:
        return coref.read(folder, "dev", drop_singletons=False)

    def gum(folder: Path) -> list[str]:
        path = folder / "gum.conllu"
        return [ontogum.columns(document, path) for document in read_conllu(path)]

    yield "ner columns", Kind("eng.testa", CONLL_2003.encode(), lambda f: ner.read(f, "dev"))
    yield "conllu", Kind("dev.conllu", CONLLU.encode(), lambda f: pos.read(f, "dev", "xpos"))
    yield "ontogum", Kind("gum.conllu", CONLLU.encode(), gum)
    yield "coref columns", Kind("dev.conll", CONLL_2012.encode(), documents)
    packed = gzip.compress(CONLL_2012.encode())
    yield "coref columns, packed", Kind("dev.conll.gz", packed, documents)
    for name, text in (("conll-2012", CONLL_2012), ("propbank", PROPBANK), ("2005", CONLL_2005)):
        yield f"srl {name}", Kind("dev.txt", text.encode(), lambda f: srl.read(f, "dev"))
    skeleton = Kind("x.gold_skel", SKELETON.encode(), lambda f: read_skeleton(f / "x.gold_skel"))
    yield "srl skeleton", skeleton


SENTIMENT = (
    "(3 (2 (2 The) (2 film)) (3 (3 (2 was) (4 (2 very) (3 good))) (2 .)))\n(0 (1 Bad) (2 .))\n"
)
TREES = (
    "\n( (S (NP-SBJ (NNP Pierre) (-NONE- *)) (VP (VBZ is) (JJ 1\\/2)) (. .)) )\n( (X (UH No)) )\n"
)


def _trees() -> Iterator[tuple[str, Kind]]:
    yield "sst trees", Kind("dev.txt", SENTIMENT.encode(), lambda f: sst5.read(f, "dev", 2))
    yield "ptb", Kind("wsj_1900.mrg", TREES.encode(), lambda f: pos.read(f, "dev", "xpos"))


PAIR = {"gold_label": "neutral", "sentence1": "A man.", "sentence2": "A män.", "pairID": "1"}
SQUAD_ROWS = [
    {
        "id": f"q{i}",
        "question": "Who?",
        "context": "Ann saw Bob. Åsa — did not.",
        "answers": {"text": ["Bob", "Åsa"], "answer_start": [8, 13]},
    }
    for i in range(3)
]


def _json() -> Iterator[tuple[str, Kind]]:
    pairs = [PAIR, {**PAIR, "gold_label": "-", "pairID": "2"}, {**PAIR, "pairID": "3"}]
    text = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    yield "snli jsonl", Kind("snli_1.0_dev.jsonl", text.encode(), lambda f: snli.read(f, "dev"))
    table = "\n".join("\t".join(row) for row in (PAIR, *(pair.values() for pair in pairs)))
    yield "snli txt", Kind("snli_1.0_dev.txt", table.encode(), lambda f: snli.read(f, "dev"))
    rows = '{"text": "A film .", "label": 2}\n{"text": "Bäd", "label": 0}\n'
    yield "sst jsonl", Kind("dev.jsonl", rows.encode(), lambda f: sst5.read(f, "dev"))
    questions = [
        {
            "id": row["id"],
            "question": row["question"],
            "answers": [{"text": "Bob", "answer_start": 8}, {"text": "Åsa", "answer_start": 13}],
        }
        for row in SQUAD_ROWS
    ]
    article = {"paragraphs": [{"context": SQUAD_ROWS[0]["context"], "qas": questions}]}
    whole = json.dumps({"data": [article], "version": "1.1"}, ensure_ascii=False)
    yield "squad json", Kind("dev-v1.1.json", whole.encode(), lambda f: squad.read(f, "dev", 5))


def _parquet() -> Iterator[tuple[str, Kind]]:
    tagged = [{"tokens": ["Ann", "sings"], "ner_tags": ["B-PER", "O"]}] * 3
    pairs = [{"premise": "A man.", "hypothesis": "A män.", "label": i} for i in (-1, 0, 2)]
    sentences = [{"text": "A film .", "label": 2}] * 3
    yield "ner parquet", Kind("dev.parquet", packed(tagged), lambda f: ner.read(f, "dev"))
    yield "snli parquet", Kind("dev.parquet", packed(pairs), lambda f: snli.read(f, "dev"))
    yield "sst parquet", Kind("dev.parquet", packed(sentences), lambda f: sst5.read(f, "dev"))
    yield "squad parquet", Kind("dev.parquet", packed(SQUAD_ROWS), lambda f: squad.read(f, "dev"))


def packed(rows: list[dict[str, Any]]) -> bytes:
    """The rows as a Parquet file."""
    file = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def of_folder(made: Path, read: dict[str, Callable[[Path], Any]]) -> Iterator[tuple[str, Kind]]:
    """Yield a kind for each of these files of a folder; the others lie beside it."""
    found = {
        str(path.relative_to(made)): path.read_bytes()
        for path in sorted(made.rglob("*"))
        if path.is_file()
    }
    for name, reader in read.items():
        beside = {other: content for other, content in found.items() if other != name}
        yield f"{made.name} {name}", Kind(name, found[name], reader, beside)


def _senses(folder: Path) -> Iterator[tuple[str, Kind]]:
    write_wsd(folder)
    corpus = ("semcor/semcor.data.xml", "semcor/semcor.gold.key.txt")
    read = dict.fromkeys(corpus, lambda f: wsd.read(f, "train"))
    yield from of_folder(folder, {**read, "index.sense": wsd.first_senses})


def _archives() -> Iterator[tuple[str, Kind]]:
    zipped, tar = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trees/dev.txt", SENTIMENT)
    with tarfile.open(fileobj=tar, mode="w:gz") as packed_tar:
        member = tarfile.TarInfo("trees/dev.txt")
        member.size = len(SENTIMENT)
        packed_tar.addfile(member, io.BytesIO(SENTIMENT.encode()))
    for path, content in (("a.zip", zipped), ("a.tar.gz", tar)):
        yield path, Kind(path, content.getvalue(), lambda f, path=path: _unpacked(f, path))  # type: ignore[misc]


def _unpacked(folder: Path, path: str) -> list[Path]:
    return unpack(folder / path, folder / "out", {"trees/dev.txt": "dev.txt"}.get)


def _models(folder: Path) -> Iterator[tuple[str, Kind]]:
    options = Options.parse(TINY)
    bilm = BiLM(options)
    write_hdf5(bilm, folder / "weights.hdf5")
    save(bilm, folder / "bilm.safetensors")
    hdf5, ours = ((folder / n).read_bytes() for n in ("weights.hdf5", "bilm.safetensors"))
    yield "hdf5", Kind("w.hdf5", hdf5, lambda f: load_hdf5(options, f / "w.hdf5"))
    yield "safetensors", Kind("w.safetensors", ours, lambda f: load(f / "w.safetensors"))
    text = json.dumps(TINY, indent=1).encode()
    yield "options", Kind("o.json", text, lambda f: Options.read(f / "o.json"))
    rows = "the 0.5 1\nbänk 2 3\n. . 4 -1e-3\n".encode()
    words = ["the", "bänk", ". .", "no"]
    yield "word vectors", Kind("v.txt", rows, lambda f: WordVectors(f / "v.txt")(words))
