"""Named entities: official scores, every file format, the model's parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import ClassLabel, Dataset, Features, Sequence, Value

from elmo_core import Placement
from tasks.formats.tags import BIO, BIOES, IOB1, check, convert
from tasks.ner.data import FILES, UNDIVIDED, read
from tasks.ner.score import score
from tasks.ner.task import NER
from tasks.task import DataError
from tests.conftest import TINY_ENCODER, shared

# --- score


def test_scores_equal_the_official_ones() -> None:
    cases = shared("scorers/ner.jsonl").read_text(encoding="utf-8").splitlines()
    assert cases
    for line in cases:
        case = json.loads(line)
        ours, official = score(case["gold"], case["pred"]), case["official"]
        assert ours.keys() == {
            *(name for name in ("precision", "recall", "f1")),
            *(f"{name}/{kind}" for kind, of in official["per_type"].items() for name in of),
        }, case["id"]
        for name in ("precision", "recall", "f1"):
            assert ours[name] == pytest.approx(official[name], abs=1e-4), case["id"]
            for kind, figures in official["per_type"].items():
                found = ours[f"{name}/{kind}"]
                assert found == pytest.approx(figures[name], abs=0.0051), (case["id"], kind)
        if case["scheme"] == BIOES:
            assert score(case["gold_bioes"], case["pred_bioes"]) == ours


def test_scores_without_any_name_are_zero() -> None:
    assert score([["O", "O"]], [["O", "O"]]) == {"precision": 0, "recall": 0, "f1": 0}
    assert score([], [])["f1"] == 0
    assert score([["B-creative-work"]], [["O"]])["f1/creative-work"] == 0


# --- files

TOKENS = [["U.N.", "official", "Rolf", "Ekéus", "heads", "Iraq"], ["Rolf", "\u200b", "Oslo"]]
GOLD = [["B-ORG", "O", "B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "O", "B-LOC"]]
NAMES = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC"]


def columns(scheme: str, middle: str, blank: str) -> str:
    sentences = [
        "".join(
            f"{token}{middle}{tag}\n" for token, tag in zip(t, convert(g, BIO, scheme), strict=True)
        )
        for t, g in zip(TOKENS, GOLD, strict=True)
    ]
    return blank.join(sentences)


def conll(folder: Path) -> None:
    start = "-DOCSTART- -X- -X- O\n\n"
    text = start + columns(IOB1, " NN I-NP ", "\n" + start) + "\n\n"
    (folder / "eng.testa").write_text(text, encoding="utf-8")


def wnut(folder: Path) -> None:
    (folder / "emerging.dev.conll").write_text(columns(BIO, "\t", "\t\n\n"), encoding="utf-8")


def bioes(folder: Path) -> None:
    (folder / "valid.txt").write_bytes(columns(BIOES, " ", "\r\n").encode())


def parquet(folder: Path) -> None:
    kinds = ClassLabel(names=NAMES)
    features = Features(
        {"id": Value("string"), "tokens": Sequence(Value("string")), "ner_tags": Sequence(kinds)}
    )
    rows = [
        {"id": str(i), "tokens": tokens, "ner_tags": [NAMES.index(tag) for tag in tags]}
        for i, (tokens, tags) in enumerate(zip(TOKENS, GOLD, strict=True))
    ]
    Dataset.from_list(rows, features=features).to_parquet(str(folder / "validation.parquet"))


def parquet_of_words(folder: Path) -> None:
    rows = [{"tokens": t, "ner_tags": g} for t, g in zip(TOKENS, GOLD, strict=True)]
    Dataset.from_list(rows).to_parquet(str(folder / "dev.parquet"))


@pytest.mark.parametrize("write", [conll, wnut, bioes, parquet, parquet_of_words])
def test_every_format_reads_the_same(write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path)
    sentences = read(tmp_path, "dev")
    assert sentences is not None
    assert sentences["tokens"][:] == TOKENS
    assert sentences["tags"][:] == GOLD
    assert sentences["id"][:] == ["dev-1", "dev-2"]
    assert read(tmp_path, "train") is None


def test_what_was_found_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    conll(tmp_path)
    caplog.set_level("INFO", "tasks")
    read(tmp_path, "dev")
    assert "2 sentences, 9 tokens, 5 names, tagged in IOB1" in caplog.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A X B-X\nb O\n", "line 2: expected 3 columns, as its first row has, found 'b O'"),
        ("A\n", "line 1: expected a token and a tag, found 'A'"),
        ("A\tO\n\tO\n", "line 2: the word is empty"),
        ("A O\n# b-x\n", "line 2: unknown tag 'b-x'"),  # within a sentence: no comment
        ("token label\nA O\n", "line 1: unknown tag 'label': expected O, or one as B-PER"),
        ("\n\t\n", "no examples left"),
        ("", "an empty file"),
        ("A O\n\udcff O\n", "line 2: not UTF-8"),
    ],
)
def test_malformed_files_are_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError) as caught:
        read(tmp_path, "train")
    assert str(caught.value).startswith(str(path))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("comment", "gap"),
    [
        ("# id 0", " NN "),  # as many columns as the rows
        ("# sent_id = 0", " "),
        ("# id 0\tdomain=train", "\t_\t_\t"),
        ("# text = They flew a B-52", " "),
    ],
)
def test_comments_are_no_tokens(
    comment: str, gap: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sentences = (f"{comment}\n#{gap}O\n1{gap}B-X\n", f"{comment}\nA{gap}O\n")
    (tmp_path / "dev.txt").write_text("\n".join(sentences))
    caplog.set_level("INFO", "tasks")
    rows = read(tmp_path, "dev")
    assert rows is not None
    assert rows["tokens"][:] == [["#", "1"], ["A"]]
    assert rows["tags"][:] == [["O", "B-X"], ["O"]]
    assert "comments before sentences left out: 2" in caplog.text


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"tokens": ["a", "b"], "ner_tags": ["O"]}, "row 1: expected a tag for each token"),
        ({"tokens": ["a"], "ner_tags": [0]}, "row 1: tags are neither"),
        ({"tokens": ["a"], "ner_tags": [["O"]]}, "row 1: tags are neither"),
        ({"tokens": ["a"], "ner_tags": ["I-X"], "x": 1}, ""),
        ({"tokens": ["a"]}, "no column ner_tags"),
    ],
)
def test_malformed_parquet_is_refused(row: dict[str, Any], says: str, tmp_path: Path) -> None:
    Dataset.from_list([row]).to_parquet(str(tmp_path / "test.parquet"))
    if not says:  # I- alone is IOB1
        assert (read(tmp_path, "test") or [])[0]["tags"] == ["B-X"]
        return
    with pytest.raises(DataError, match=says):
        read(tmp_path, "test")


def test_wikigold_is_cut_by_position(tmp_path: Path) -> None:
    lines = (f"w{i} I-PER\n-DOCSTART- O\n" for i in range(20))
    (tmp_path / UNDIVIDED).write_text("".join(lines))
    splits = {split: read(tmp_path, split) for split in FILES}
    words = {s: [tokens[0] for tokens in rows["tokens"]] for s, rows in splits.items() if rows}
    assert [len(words[split]) for split in ("train", "dev", "test")] == [16, 2, 2]
    assert [w for split in words.values() for w in split] == [f"w{i}" for i in range(20)]
    (tmp_path / "train.txt").write_text("a O\n")
    assert read(tmp_path, "dev") is None  # beside other files it is not what is meant


def test_missing_splits(tmp_path: Path) -> None:
    task = NER(data="open", folder=str(tmp_path))
    assert task.load("test") is None
    with pytest.raises(DataError, match="no train file of ner"):
        task.load("train")
    with pytest.raises(DataError, match=r"cannot be downloaded: .*data\.dir=FOLDER"):
        NER(data="paper").load("train")


# --- the model


def ready(folder: Path, **changes: Any) -> tuple[NER, Dataset]:
    for write in (conll, wnut):
        write(folder)
    (folder / "eng.testa").rename(folder / "eng.train")
    task = NER(data="open", folder=str(folder), char_filters=6, hidden=(5, 4), **changes)
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    return task, train


@pytest.mark.parametrize("scheme", [BIO, BIOES])
def test_predictions_are_always_well_formed(scheme: str, tmp_path: Path) -> None:
    task, train = ready(tmp_path, scheme=scheme)
    examples = list(train)
    for seed in range(5):
        torch.manual_seed(seed)
        model: Any = task.model(Placement("none", 0, 0))
        torch.nn.init.normal_(model.dense.weight, std=20)
        for row in task.predict(model(task.collate(examples), None), examples):
            check(row["prediction"], BIO)
            assert len(row["prediction"]) == len(row["tokens"])


def test_a_type_that_train_does_not_have_counts_as_missed(tmp_path: Path) -> None:
    task, _ = ready(tmp_path)
    new = {"id": "1", "tokens": ["Rolf", "Gold"], "tags": ["B-PER", "B-FILM"]}
    model = task.model(Placement("none", 0, 0))
    output = model(task.collate([new]), None)
    assert output["loss"].isfinite()
    rows = task.predict(output, [new])
    assert task.score(rows)["recall/FILM"] == 0


def test_words_are_looked_up_in_lower_case_and_vectors_are_tuned(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("rolf 1 0\nofficial 0 1\n")
    task, train = ready(tmp_path, word_vectors=str(vectors))
    model: Any = task.model(Placement("none", 0, 0))
    batch = task.collate([train[0]])
    assert model.words(batch["words"])[0, 2].tolist() == [1, 0]
    assert model.words.table.weight.requires_grad


def test_unknown_scheme() -> None:
    with pytest.raises(ValueError, match="choose bioes or bio"):
        NER(scheme="iob1")


# --- a whole run


def test_a_run_on_the_built_in_data(bench: Callable[..., int], tmp_path: Path) -> None:
    status = bench(
        "task=ner",
        "data=mini",
        "trainer=cpu",
        "trainer.limit_batches=2",
        "training.max_epochs=1",
        "task.hidden=[16,16]",
        "task.char_filters=16",
        f"paths.runs={tmp_path}",
        *TINY_ENCODER,
    )
    assert status == 0
    (folder,) = tmp_path.glob("*/*")
    result = json.loads((folder / "result.json").read_text())
    assert result["primary"]["name"] == "f1"
    assert set(result["mix"]) == {"input"}
    rows = [json.loads(line) for line in (folder / "predictions.jsonl").open()]
    for row in rows:
        assert len(row["gold"]) == len(row["prediction"]) == len(row["tokens"])
        check(row["prediction"], BIO)
