"""Which examples belong together: those of one text, if the data names it (Task.cluster)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset

from tasks.base.files import to_dataset
from tasks.formats.tagged import XPOS
from tasks.neighbours.task import Neighbours
from tasks.ner.task import NER
from tasks.pos.task import POS
from tasks.snli.task import SNLI
from tasks.squad.task import SQuAD
from tasks.srl.task import SRL
from tasks.task import Example, Task

CONLLU = "1\tRolf\t_\tPROPN\tNNP\t_\t_\t_\t_\t_\n\n"
NEW = "# newdoc id = {}\n"
ROLES = "{}\t0\t0\tsang\tVBD\t*\tsing\t01\t(V*)\n\n"
NOT_NAMED = "sang * XX * 01 sing (V*)\n\n"  # a sentence of CoNLL-2005


def grouped(task: Task, folder: Path, **files: Any) -> list[list[int]]:
    """Write the files, of names with `_` for `.`, and return the places of each cluster's dev
    examples."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return together(task, list(task.load("dev") or ()))


def together(task: Task, examples: list[Example]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        places.setdefault(task.cluster(example), []).append(place)
    return list(places.values())


@pytest.mark.parametrize("task", [POS, Neighbours])
def test_sentences_of_a_document_of_conllu(task: type[Task], tmp_path: Path) -> None:
    text = CONLLU + NEW.format("a") + 2 * CONLLU + "# newdoc\n" + CONLLU
    known: Any = task
    groups = grouped(known(folder=tmp_path, tags=XPOS), tmp_path, dev_conllu=text)
    assert groups == [[0], [1, 2], [3]]  # of the first nobody knows


def test_sentences_of_a_file_of_the_penn_treebank(tmp_path: Path) -> None:
    for number, text in ((1900, "(S (NN a))\n(S (NN b))"), (1901, "(S (NN c))")):
        (tmp_path / f"wsj_{number}.mrg").write_text(text)
    assert grouped(POS(folder=tmp_path), tmp_path) == [[0, 1], [2]]


def test_sentences_of_a_document_of_conll_2003(tmp_path: Path) -> None:
    start = "-DOCSTART- -X- O\n\n"
    row = "Rolf NN I-PER\n\n"
    text = start + 2 * row + start + row
    assert grouped(NER(folder=tmp_path), tmp_path, dev_txt=text) == [[0, 1], [2]]
    assert grouped(NER(folder=tmp_path), tmp_path, dev_txt=start + 2 * row) == [[0], [1]]


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (ROLES.format("a") + ROLES.format("a") + ROLES.format("b"), [[0, 1], [2]]),
        (ROLES.format("a") + ROLES.format("a"), [[0], [1]]),  # there is no other document
        (NOT_NAMED + "sang * XX * 01 sing (V*) *\nand * XX * 01 and * (V*)\n", [[0], [1, 2]]),
    ],
)
def test_predicates_of_a_document_or_else_of_a_sentence(
    text: str, groups: list[list[int]], tmp_path: Path
) -> None:
    assert grouped(SRL(folder=tmp_path), tmp_path, dev_tsv=text) == groups


def squad(title: Mapping[str, str], *paragraphs: str) -> dict[str, Any]:
    """Make an article with one question on each paragraph."""
    answers = [{"text": "Rolf", "answer_start": 0}]
    found = [
        {"context": text, "qas": [{"id": text, "question": "Who?", "answers": answers}]}
        for text in paragraphs
    ]
    return {**title, "paragraphs": found}


def test_questions_on_an_article_or_else_on_a_paragraph(tmp_path: Path) -> None:
    two = [squad({"title": "R"}, "Rolf sang.", "Rolf ate."), squad({"title": "S"}, "Rolf slept.")]
    task = SQuAD(folder=tmp_path)
    assert grouped(task, tmp_path, dev_json={"data": two}) == [[0, 1], [2]]
    assert grouped(task, tmp_path, dev_json={"data": two[:1]}) == [[0], [1]]
    nameless = [squad({}, "Rolf sang.", "Rolf ate.")]
    nameless[0]["paragraphs"][0]["qas"] += [{**two[0]["paragraphs"][0]["qas"][0], "id": "again"}]
    assert grouped(task, tmp_path, dev_json={"data": nameless}) == [[0, 1], [2]]


@pytest.mark.parametrize("titles", [["R", "R", "S"], ["R", "R", None], [1, 2, 3], None])
def test_the_hubs_edition_of_squad(titles: list[Any] | None, tmp_path: Path) -> None:
    texts = ["Rolf sang.", "Rolf ate.", "Rolf slept."]
    columns: dict[str, list[Any]] = {
        "id": texts,
        "context": texts,
        "question": 3 * ["Who?"],
        "answers": 3 * [{"text": ["Rolf"], "answer_start": [0]}],
    }
    Dataset.from_dict(columns | ({"title": titles} if titles else {})).to_parquet(
        str(tmp_path / "dev.parquet")
    )
    groups = grouped(SQuAD(folder=tmp_path), tmp_path)
    assert groups == ([[0, 1], [2]] if titles and titles[0] == "R" else [[0], [1], [2]])


def test_pairs_on_a_picture(tmp_path: Path) -> None:
    pair = {"sentence1": "A man sings.", "sentence2": "He sings.", "gold_label": "entailment"}
    captions = ["47.jpg#2", "47.jpg#2", "47.jpg#0", "a#b#0", "#1"]
    rows = "".join(json.dumps({**pair, "captionID": name}) + "\n" for name in captions)
    assert grouped(SNLI(folder=tmp_path), tmp_path, dev_jsonl=rows) == [[0, 1, 2], [3], [4]]


def test_documents_count_from_two(tmp_path: Path) -> None:
    def known(*documents: str) -> list[str]:
        rows = ({"id": str(i), "document_id": name} for i, name in enumerate(documents))
        return list(to_dataset(rows, tmp_path)["document_id"])

    assert known("a", "a") == ["", ""]
    assert known("a", "") == ["a", ""]
    assert known("a", "b", "a") == ["a", "b", "a"]


def test_a_document_may_be_called_zero() -> None:
    rows: list[Example] = [{"id": "5", "document_id": 0}, {"id": "6", "document_id": 5}]
    assert [Task.cluster(NER(), row) for row in rows] == ["0", "5"]
