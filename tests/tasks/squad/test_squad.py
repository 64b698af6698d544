"""SQuAD: official scores, words with their places, every file format, the model's parts."""

from __future__ import annotations

import json
from math import exp
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from torch import Tensor

from elmo_core import Placement
from tasks.nn.words import WordEmbedding, Words, WordVocabulary
from tasks.squad.data import _cut, names, read
from tasks.squad.model import BiDAF, Sizes
from tasks.squad.task import SPANS, SQuAD
from tasks.squad.tokens import tokenise
from tasks.squad.yardstick import longest_name
from tasks.task import DataError, Example

PASSAGE = "Café Zoë (est. 1990) is in “Old-Town”, near O'Brien’s.[3] It’s Anna Berg's."
QUESTIONS = [
    ("q1", "Whose is the café?", ["Anna Berg", "Anna Berg's"]),
    ("q2", "Since when?", ["199"]),
    ("q3", "Where is it?", ["in “Old-Town”", "Old-Town"]),
]


def record(identifier: str, question: str, answers: list[str]) -> dict[str, Any]:
    starts = [PASSAGE.index(text) for text in answers]
    listed = [{"text": t, "answer_start": s} for t, s in zip(answers, starts, strict=True)]
    return {"id": identifier, "question": question, "answers": listed}


def content(*questions: tuple[str, str, list[str]]) -> dict[str, Any]:
    paragraph = {"context": PASSAGE, "qas": [record(*q) for q in questions or QUESTIONS]}
    return {"version": "1.1", "data": [{"title": "Café", "paragraphs": [paragraph]}]}


def write_json(path: Path, written: Any = None) -> None:
    path.write_text(json.dumps(written or content(), ensure_ascii=False), encoding="utf-8")


def write_parquet(path: Path) -> None:
    rows = [record(*question) for question in QUESTIONS]
    for row in rows:
        row |= {"title": "Café", "context": PASSAGE}
        row["answers"] = {key: [a[key] for a in row["answers"]] for key in ("text", "answer_start")}
    Dataset.from_list(rows).to_parquet(str(path))


def dev(tmp_path: Path, longest: int | None = None) -> list[Example]:
    write_json(tmp_path / "dev-v1.1.json")
    found = read(tmp_path, "dev", longest)
    assert found is not None
    return list(found)


# --- files


def test_every_format_reads_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tasks")
    expected = dev(tmp_path)
    write_parquet(tmp_path / "train.parquet")
    train = read(tmp_path, "train")
    assert train is not None
    assert list(train) == expected
    assert [row["id"] for row in expected] == ["q1", "q2", "q3"]
    assert read(tmp_path, "test") is None
    assert "3 questions, 1 of 5 answers not at the edges of words" in caplog.text


def test_answers_are_where_their_words_are(tmp_path: Path) -> None:
    for row in dev(tmp_path):
        for answer, (first, last) in zip(row["answers"], row["spans"], strict=True):
            covered = PASSAGE[row["starts"][first] : row["ends"][last]]
            assert covered == {"199": "1990"}.get(answer, answer)


def test_a_file_of_another_family_is_the_user_s_dev(tmp_path: Path) -> None:
    write_json(tmp_path / "train-v1.1.json")
    write_json(tmp_path / "nyt_v1.0.json")
    assert len(read(tmp_path, "dev") or []) == 3
    write_json(tmp_path / "reddit_v1.0.json")
    with pytest.raises(DataError, match=r"which is dev\? .*nyt_v1.0.json, reddit_v1.0.json"):
        read(tmp_path, "dev")
    write_json(tmp_path / names("dev")[0])
    assert len(read(tmp_path, "dev") or []) == 3


def _changed(**changes: Any) -> dict[str, Any]:
    made = content()
    made["data"][0]["paragraphs"][0]["qas"][1] |= changes
    return made


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"data": [{"title": "x"}]}, "article 0: expected a key 'paragraphs' with a list"),
        ({"data": {}}, "dev-v1.1.json: expected a key 'data' with a list"),
        (_changed(id=7), "paragraph 0, question 1: expected a key 'id' with a str"),
        (_changed(id="q1"), "dev-v1.1.json: the id 'q1' occurs twice"),
        (_changed(question=" "), "question q2: the question is empty"),
        (_changed(answers=[]), "question q2: no answer"),
        (
            _changed(answers=[{"text": "x"}]),
            "question q2: expected a key 'answer_start' with a int",
        ),
        (
            _changed(answers=[{"text": "x", "answer_start": True}]),
            "question q2: expected a key 'answer_start' with a int",
        ),
        (
            _changed(answers=[{"text": "is", "answer_start": 3}]),
            "question q2: answer 'is' is not at answer_start 3, but 'é '",
        ),
        (_changed(answers=[{"text": "is", "answer_start": -2}]), "question q2: answer 'is' is not"),
        (
            _changed(answers=[{"text": " ", "answer_start": 4}]),
            "question q2: answer ' ' has no word",
        ),
        (
            _changed(answers=[{"text": "", "answer_start": 1}]),
            "question q2: answer '' has no word",
        ),
    ],
)
def test_what_is_malformed_is_named(tmp_path: Path, written: Any, message: str) -> None:
    write_json(tmp_path / "dev-v1.1.json", written)
    with pytest.raises(DataError) as raised:
        read(tmp_path, "dev")
    assert message in str(raised.value)
    assert str(tmp_path / "dev-v1.1.json") in str(raised.value)


def test_what_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text('{"data": [')
    with pytest.raises(DataError, match=r"dev.json: not JSON \(.*line 1"):
        read(tmp_path, "dev")
    (tmp_path / "dev.json").write_bytes(b'{"data": "\xe9"}')
    with pytest.raises(DataError, match=r"dev.json: not UTF-8"):
        read(tmp_path, "dev")


@pytest.mark.parametrize("longest", [4, 7, 12])
def test_long_paragraphs_are_cut_around_the_answer(tmp_path: Path, longest: int) -> None:
    for whole, cut in zip(dev(tmp_path), dev(tmp_path, longest), strict=True):
        assert len(cut["tokens"]) == len(cut["starts"]) == len(cut["ends"]) == longest
        (first, last), (i, j) = whole["spans"][0], cut["spans"][0]
        if last - first < longest:
            assert cut["tokens"][i : j + 1] == whole["tokens"][first : last + 1]
            assert cut["starts"][i] == whole["starts"][first]
        else:
            assert 0 <= i <= j < longest
        assert cut["context"] == PASSAGE


@pytest.mark.parametrize(("answer", "places"), [(0, {0}), (50, set(range(9))), (98, {8})])
def test_where_the_answer_lies_in_a_cut_paragraph_says_nothing(
    answer: int, places: set[int]
) -> None:
    words = [str(i) for i in range(100)]
    example = {"tokens": words, "starts": words, "ends": words, "spans": [[answer, answer + 1]]}
    cut = [_cut({**example, "id": f"q{i}"}, 10) for i in range(200)]
    assert {len(each["tokens"]) for each in cut} == {10}
    assert {each["spans"][0][0] for each in cut} == places
    assert all(each["tokens"][each["spans"][0][0]] == str(answer) for each in cut)
    assert cut[0] == _cut({**example, "id": "q0"}, 10)


def test_training_alone_is_cut(tmp_path: Path) -> None:
    for split in ("train", "dev"):
        write_json(tmp_path / f"{split}-v1.1.json")
    task = SQuAD(folder=str(tmp_path), longest_paragraph=5)
    assert {len(row["tokens"]) for row in task.load("train") or []} == {5}
    assert {len(row["tokens"]) for row in task.load("dev") or []} == {len(tokenise(PASSAGE).words)}


def test_a_paragraph_is_one_sentence_for_all_its_questions(tmp_path: Path) -> None:
    task = SQuAD()
    distinct = {tuple(s) for row in dev(tmp_path) for s in task.sentences(row)}
    assert tuple(tokenise(PASSAGE).words) in distinct
    assert all(task.sentences(row) == [row["tokens"], row["question"]] for row in dev(tmp_path))
    assert len(distinct) == 1 + len(QUESTIONS)


# --- the model


SMALL = Sizes(word_dim=7, char_dim=4, char_filters=6, char_width=3, hidden=5)


def model(where: str = "none", sizes: Sizes = SMALL) -> BiDAF:
    torch.manual_seed(0)
    words = Words(WordVocabulary("abcdefgh"), sizes.word_dim)
    return BiDAF(WordEmbedding(words), Placement(where, 3, 1024), sizes)


def batch(task: SQuAD, rows: list[Example]) -> dict[str, Tensor]:
    task.words = Words(WordVocabulary("abcdefgh"), 7)
    return task.collate(rows)


def test_sizes_are_the_paper_s() -> None:
    for where, x, h in (
        ("none", 400, 180),
        ("input", 1424, 180),
        ("output", 400, 1204),
        ("input+output", 1424, 1204),
    ):
        built = model(where, Sizes())
        assert built.encoder.rnn.input_size == x
        assert built.merge[0].weight.shape == (180, 4 * h)
        assert built.inner_merge[0].weight.shape == (180, 540)
        assert built.end.rnn.input_size == 360


def test_loss_is_that_of_one_answer_drawn_anew(tmp_path: Path) -> None:
    task, rows = SQuAD(), dev(tmp_path)[:1]
    given, built = batch(task, rows), model()
    for module in built.modules():
        if hasattr(module, "p"):
            module.p = 0.0
    output = built.eval()(given, None)
    losses = [-(output["start"][0, i] + output["end"][0, j]).item() for i, j in rows[0]["spans"]]
    assert len(set(losses)) == 2
    assert output["loss"].item() == pytest.approx(losses[0])
    built.train()
    torch.manual_seed(1)
    drawn = [built(given, None)["loss"].item() for _ in range(8)]
    assert all(any(loss == pytest.approx(one) for one in losses) for loss in drawn)
    assert max(drawn) == pytest.approx(max(losses))
    assert min(drawn) == pytest.approx(min(losses))
    torch.manual_seed(1)
    assert [built(given, None)["loss"].item() for _ in range(8)] == drawn


def test_questions_of_a_batch_may_have_unlike_numbers_of_answers(tmp_path: Path) -> None:
    task, (row, *_) = SQuAD(), dev(tmp_path)
    built = model().train()
    given = batch(task, [row, {**row, "spans": row["spans"][:1]}])
    assert given["last"].tolist()[1][1:] == [-1]
    assert all(built(given, None)["loss"].isfinite() for _ in range(8))


def test_words_are_cut_for_the_character_cnn_and_its_table_starts_small() -> None:
    task = SQuAD(longest_word=4)
    task.words = Words(WordVocabulary(""), 7)
    example = {"tokens": ["abcdefgh"], "question": ["abcdefgh"], "spans": [[0, 0]]}
    given = task.collate([example])
    assert given["spellings"].shape == given["question_spellings"].shape == (1, 4)
    assert 0.04 < model().spelling.table.weight.abs().max() <= 0.05


def test_predictions_are_substrings_with_what_an_ensemble_needs(tmp_path: Path) -> None:
    task, rows = SQuAD(longest_answer=3), dev(tmp_path)
    output = model().eval()(batch(task, rows), None)
    for row, start, end in zip(
        task.predict(output, rows), output["start"], output["end"], strict=True
    ):
        assert row["prediction"] == PASSAGE[row["start"] : row["end"]] == row["spans"][0][3]
        assert len(row["spans"]) == SPANS
        assert row["spans"] == sorted(row["spans"], key=lambda span: -span[2])
        for first, last, log_probability, text in row["spans"]:
            assert PASSAGE[first:last] == text
            i, j = rows[0]["starts"].index(first), rows[0]["ends"].index(last)
            assert 0 <= j - i < 3
            assert log_probability == pytest.approx((start[i] + end[j]).item(), abs=1e-5)
        assert row["probability"] == pytest.approx(exp(row["spans"][0][2]), abs=1e-5)
        assert row["gold"] == row["answers"][0]


def test_new_text(tmp_path: Path) -> None:
    task = SQuAD()
    parsed = {"id": "1", **task.parse({"question": "Who?", "passage": "Anna Berg."})}
    output = model().eval()(batch(task, [parsed]), None)
    (row,) = task.predict(output, [parsed])
    assert row["prediction"] in "Anna Berg."
    assert len(row["spans"]) == 6  # of three words
    with pytest.raises(DataError, match="'question'"):
        task.parse({"passage": "Anna Berg."})


def test_the_yardstick_takes_the_longest_name_not_asked_for(tmp_path: Path) -> None:
    rows = dev(tmp_path)
    assert longest_name(rows[1]) == "Café Zoë"
    assert longest_name(rows[0]) == "Anna Berg"  # the question has "café"
