"""Coreference: column files, clusters, the rule baseline, the task around them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core import Placement
from tasks.coref import Coref
from tasks.coref.columns import read_columns
from tasks.coref.data import read
from tasks.coref.yardstick import Yardstick
from tasks.task import DataError
from tests.conftest import TINY_ENCODER

Row = tuple[str, str, str]  # word, speaker, clusters


def part(name: str, number: int, *sentences: list[Row]) -> str:
    lines = [f"#begin document ({name}); part {number:03d}"]
    for sentence in sentences:
        for i, (word, speaker, cell) in enumerate(sentence):
            row = [name, str(number), str(i), word, "XX", "*", "-", "-", "-", speaker, "*", cell]
            lines.append("   ".join(row))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


# Anna 's dog saw Tom /. | He barked at him /? : Anna 0, dog 1, Tom 2, and "him" of both 2 and 3
FIRST = [("Anna", "A_B", "(1|(0)"), ("'s", "A_B", "-"), ("dog", "A_B", "1)")]
FIRST += [("saw", "A_B", "-"), ("Tom", "A_B", "(2)"), ("/.", "A_B", "-")]
SECOND = [("He", "-", "(1)"), ("barked", "-", "-"), ("at", "-", "-"), ("him", "-", "(2)|(3)")]
SECOND += [("/?", "-", "-")]
TEXT = part("bc/cctv/00/cctv_0001", 0, FIRST, SECOND) + part("bc/cctv/00/cctv_0001", 1, SECOND)
CLUSTERS = [[[0, 0]], [[0, 2], [6, 6]], [[4, 4], [9, 9]], [[9, 9]]]


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_several_parts(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("x.conll.gz" if packed else "x.conll")
    path.write_bytes(gzip.compress(TEXT.encode()) if packed else TEXT.encode())
    first, second = read_columns(path)
    assert (first.name, first.part, second.part) == ("bc/cctv/00/cctv_0001", 0, 1)
    assert first.sentences[1] == ["He", "barked", "at", "him", "?"]
    assert first.sentences[0][-1] == "."
    assert first.speakers == [["A_B"] * 6, [""] * 5]
    assert [[list(m) for m in cluster] for cluster in first.clusters] == CLUSTERS
    assert second.clusters == [[(0, 0)], [(3, 3)], [(3, 3)]]


def test_nested_and_crossing_mentions_of_one_cluster(tmp_path: Path) -> None:
    words = [("a", "-", "(7|(8"), ("b", "-", "(7"), ("c", "-", "7)"), ("d", "-", "8)|7)")]
    path = tmp_path / "x.conll"
    path.write_text(part("x", 0, words))
    (document,) = read_columns(path)
    assert sorted(map(sorted, document.clusters)) == [[(0, 3)], [(0, 3), (1, 2)]]


def test_columns_of_tabs_may_be_empty(tmp_path: Path) -> None:
    """As LitBank's last one is."""
    row = "\t".join(["x", "0", "0", "Ada", *["_"] * 8, ""])
    (tmp_path / "x.conll").write_text(f"#begin document (x); part 0\n{row}\n#end document\n")
    (document,) = read_columns(tmp_path / "x.conll")
    assert document.sentences == [["Ada"]]
    assert document.speakers == [[""]]
    assert document.clusters == []


BEGIN, END = "#begin document (x); part 000\n", "#end document\n"


def rows(*cells: str) -> str:
    return BEGIN + "".join(f"x 0 0 w {'- ' * 7}{cell}\n" for cell in cells) + END


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (rows("-", "(3", "-"), "line 3: '(3' is never closed"),
        (rows("-", "3)"), "line 3: '3)' closes what was never opened"),
        (rows("(3", "4)"), "line 3: '4)' closes what was never opened"),
        (rows("(x)"), "line 2: malformed cluster '(x)'"),
        (rows("3"), "line 2: malformed cluster '3'"),
        (rows("(3)(4)"), "line 2: malformed cluster '(3)(4)'"),
        (BEGIN + "x 0 0 w\n" + END, "line 2: expected 12 columns or more, found 4"),
        (BEGIN + BEGIN + END, "line 2: a document begins inside another"),
        ("#begin document x\n", "line 1: expected '#begin document (name); part 000'"),
        ("x 0 0 w\n", "line 1: expected '#begin document (name); part 000'"),
        (BEGIN, "no '#end document' after x"),
        (BEGIN + "x \udcff\n", "line 2: not UTF-8"),
    ],
)
def test_malformed_files_are_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError) as caught:
        list(read_columns(path))
    assert str(caught.value).startswith(str(path))
    assert says in str(caught.value)


# --- splits


def test_folders_as_ontonotes_has_them(tmp_path: Path) -> None:
    """Gold before automatic, English alone where it is marked below the split's folder."""
    tmp_path /= "english"
    for language, name in (("english", "bc"), ("chinese", "zz")):
        folder = tmp_path / "v4" / "data" / "development" / language
        folder.mkdir(parents=True)
        for kind in ("auto", "gold"):
            document = part(f"{name}/{kind}", 0, SECOND)
            (folder / f"a.v4_{kind}_conll").write_text(document)
    dev = read(tmp_path, "dev", drop_singletons=False)
    assert dev is not None
    assert dev["id"][:] == ["bc/gold:0"]
    assert dev["genre"][:] == ["bc"]
    assert read(tmp_path, "train", drop_singletons=False) is None


def test_singletons_are_kept_or_dropped_and_it_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "tasks")
    (tmp_path / "dev.conll").write_text(TEXT)
    kept = read(tmp_path, "dev", drop_singletons=False)
    assert "2 documents, 16 tokens, 9 mentions in 7 clusters" in caplog.text
    assert "documents with speakers: 1" in caplog.text
    assert "5 clusters of one mention, kept" in caplog.text
    assert "2 mentions stand in two clusters" in caplog.text
    dropped = Coref(folder=str(tmp_path), drop_singletons=True).load("dev")
    assert "5 clusters of one mention, dropped (task.drop_singletons)" in caplog.text
    assert kept is not None
    assert dropped is not None
    assert kept[0]["clusters"] == CLUSTERS
    assert dropped[0]["clusters"] == CLUSTERS[1:3]
    assert dropped[1]["clusters"] == []


def test_a_document_that_occurs_twice(tmp_path: Path) -> None:
    (tmp_path / "train.conll").write_text(TEXT + TEXT)
    with pytest.raises(DataError, match=r"cctv_0001:0 occurs for the second time"):
        read(tmp_path, "train", drop_singletons=False)


# --- the task


@pytest.fixture
def small(tmp_path: Path) -> Coref:
    """Untrained, at a fraction of the size (rectifiers enough that some let through), on the
    text above."""
    (tmp_path / "train.conll").write_text(TEXT)
    task = Coref(folder=str(tmp_path), word_dim=8, hidden=6, feed_forward=20, char_filters=2)
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    return task


def test_spans_stay_inside_sentences_and_have_at_most_ten_words(small: Coref) -> None:
    sentences = [[f"w{i}" for i in range(n)] for n in (14, 1, 3, 12)]
    example = {**small.parse({"sentences": sentences}), "id": "1"}
    small.sizes = replace(small.sizes, spans_per_word=1000.0)  # all that do not cross
    model = small.model(Placement("none", 0, 0)).eval()
    with torch.no_grad():
        mentions = model(small.collate([example]), None)["mentions"]
    sentence = torch.tensor([n for n, s in enumerate(sentences) for _ in s])
    assert (sentence[mentions[:, 0]] == sentence[mentions[:, 1]]).all()
    width = mentions[:, 1] - mentions[:, 0] + 1
    assert width.min() == 1
    assert 3 < width.max() <= 10
    keys = mentions[:, 0] * 100 + mentions[:, 1]
    assert (keys.diff() > 0).all()  # in order, none twice


def test_speaker_and_genre_count(small: Coref) -> None:
    """The same words, said by another or elsewhere, are scored otherwise."""
    words = [["He", "saw", "him"], ["He", "barked"]]
    given: list[dict[str, Any]] = [
        {"sentences": words},
        {"sentences": words, "genre": "bc"},
        {"sentences": words, "genre": "never seen"},
        {"sentences": words, "speakers": [["A"] * 3, ["B"] * 2]},
        {"sentences": words, "speakers": [["C"] * 3, ["C"] * 2]},
    ]
    small.sizes = replace(small.sizes, spans_per_word=1000.0)  # spans of both sentences
    model = small.model(Placement("none", 0, 0)).eval()
    with torch.no_grad():
        plain, genre, unknown, two, one = (
            model(small.collate([small.parse(g)]), None)["probability"] for g in given
        )
    assert torch.equal(plain, unknown)
    assert torch.equal(plain, one)  # one speaker, whoever it is
    assert not torch.equal(plain, genre)
    assert not torch.equal(plain, two)


def test_documents_of_a_batch_are_as_each_alone(small: Coref) -> None:
    one = {"sentences": [["He", "saw", "him"], ["He", "barked"]]}
    other = {"sentences": [["Ada", "saw", "Ada"], ["She", "ran"], ["She", "sat", "down"]]}
    examples = [small.parse(one), small.parse(other)]
    examples[0]["clusters"] = [[[i, i] for i in range(5)]]
    examples[1]["clusters"] = [[[0, 0], [2, 2]]]
    small.sizes = replace(small.sizes, spans_per_word=1000.0, max_sentences=1)
    model: Any = small.model(Placement("none", 0, 0)).eval()  # sees all sentences
    torch.nn.init.constant_(model.antecedents.rest[-1].bias, 5.0)  # that some are linked
    with torch.no_grad():
        both = model(small.collate(examples), None)
        first, second = (model(small.collate([example]), None) for example in examples)
    torch.testing.assert_close(both["loss"], (first["loss"] + second["loss"]) / 2)
    spans, linked = len(first["mentions"]), second["antecedent"] >= 0
    assert both["mentions"].tolist() == [
        *first["mentions"].tolist(),
        *(second["mentions"] + 5).tolist(),
    ]
    assert linked.any()
    assert sum(first == last for first, last in both["mentions"].tolist()) == 13  # every word
    moved = torch.where(linked, second["antecedent"] + spans, -1)
    assert both["antecedent"].tolist() == [*first["antecedent"].tolist(), *moved.tolist()]


def test_gold_too_wide_for_a_span_is_passed_over(small: Coref) -> None:
    parsed = small.parse({"sentences": [[f"w{i}" for i in range(14)]]})
    small.sizes = replace(small.sizes, spans_per_word=1000.0)
    model = small.model(Placement("none", 0, 0)).eval()
    narrow = {**parsed, "clusters": [[[13, 13]]]}
    wide = {**parsed, "clusters": [[[0, small.sizes.max_width], [13, 13]]]}  # by one word
    with torch.no_grad():
        losses = [model(small.collate([e]), None)["loss"] for e in (wide, narrow)]
    assert losses[0] == losses[1]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sentences": [["a"], []]}, "sentences: must be lists of words"),
        ({"sentences": [1]}, "sentences: must be lists of words"),
        ({"sentences": 5}, "sentences: must be lists of words"),
        ({"sentences": [["a"]], "speakers": [["x", "y"]]}, "speakers: must be lists like"),
        ({"sentences": [["a"]], "speakers": [None]}, "speakers: must be lists like"),
        ({"sentences": [["a"]], "speakers": 5}, "speakers: must be lists like"),
        ({"sentences": [["a"]], "speakers": [[["x"]]]}, "speakers: must be lists like"),
        ({"text": " "}, "needs the field 'text'"),
    ],
)
def test_what_cannot_be_parsed(given: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        Coref().parse(given)


def test_the_rule_baseline() -> None:
    train = [
        {
            "sentences": [
                ["the", "dog", "saw", "the", "man", "."],
                ["it", "ran", ",", "he", "sat"],
            ],
            "clusters": [[[0, 1], [6, 6]], [[3, 4], [9, 9]]],
        }
    ]
    sentences = [
        ["The", "man", "had", "a", "dog", "."],
        ["It", "liked", "the", "man", "."],
        ["A", "man", "saw", "Ada", "Lee", ",", "and", "she", "saw", "him", "."],
        ["Lee", "went", "."],
    ]
    found = Yardstick(train)({"sentences": sentences})
    dog, man = [[3, 4], [6, 6]], [[0, 1], [8, 9]]
    lee = [[14, 15], [18, 18], [20, 20], [22, 22]]  # a name may be "she" and "him"
    assert found == [dog, man, lee]


def test_a_run_on_the_built_in_data(bench: Callable[..., int], tmp_path: Path) -> None:
    status = bench(
        "task=coref",
        "data=mini",
        "trainer=cpu",
        "trainer.limit_batches=2",
        "training.max_epochs=1",
        f"paths.runs={tmp_path}",
        *TINY_ENCODER,
    )
    assert status == 0
    (folder,) = tmp_path.glob("*/*")
    result = json.loads((folder / "result.json").read_text())
    assert result["primary"]["name"] == "conll_f1"
    assert set(result["mix"]) == {"input"}
    assert "ceaf_e_f1" in result["metrics"]["dev"]


def test_the_parts_of_a_document_belong_together() -> None:
    assert Coref().cluster({"id": "bc/cctv/00/cctv_0001:3"}) == "bc/cctv/00/cctv_0001"
