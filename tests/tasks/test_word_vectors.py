"""Which words a task knows, which of their vectors it trains, and how these begin."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset

from elmo_core import Placement
from tasks.base.word_task import WordTask
from tasks.coref import Coref
from tasks.ner import NER
from tasks.nn.words import PAD, UNK, WordEmbedding, Words, WordVocabulary
from tasks.pos import POS
from tasks.snli import SNLI
from tasks.squad import SQuAD
from tasks.srl import SRL
from tasks.sst5 import SST5

LEARNED = {
    **{"words": [f"w{i}" for i in range(300)], "dim": 50},
    **{"tags": ["A", "B"], "kinds": ["A"], "roles": ["A"], "genres": []},
}


@pytest.mark.parametrize(
    ("kind", "trained", "std"),
    [
        (SNLI, False, 0.4),
        (SST5, False, 0.4),
        (SQuAD, False, 0.4),
        (SRL, True, 0.4),
        (NER, True, 0.1),
        (POS, True, 0.1),
        (Coref, False, 0.1),
    ],
)
def test_vectors_of_a_file_and_learned_ones(kind: Any, trained: bool, std: float) -> None:
    """A file's are trained or not as the task's docstring says; learned ones begin small."""
    task = kind()
    task.restore(LEARNED)
    learned = task.model(Placement("none", 0, 0)).words.table.weight
    assert learned.requires_grad
    assert learned[2:].std().item() == pytest.approx(std, rel=0.05)
    task.words.vectors = torch.ones(300, 50)
    given = task.model(Placement("none", 0, 0)).words.table.weight
    assert given.requires_grad == trained
    assert (given[2:] == 1).all()


WORDS = WordVocabulary("abcdefgh")
SENTENCES = torch.arange(10).repeat(2_000, 1)  # padding, the unknown word, and the eight


def test_learned_words_are_read_as_unknown_now_and_then_while_training() -> None:
    """Each occurrence by itself: never padding, and nothing once training is over."""
    embedding = WordEmbedding(Words(WORDS, 4, dropout=0.3))
    vectors = embedding.table.weight
    torch.manual_seed(1)
    unknown = (embedding(SENTENCES) == vectors[UNK]).all(-1)
    assert not unknown[:, PAD].any()
    assert unknown[:, UNK].all()
    drops = unknown[:, 2:].float()
    assert drops.mean(0) == pytest.approx(0.3, abs=0.04)
    assert torch.corrcoef(drops.T).fill_diagonal_(0).abs().max() < 0.1
    torch.manual_seed(1)
    assert (embedding(SENTENCES) == vectors[UNK]).all(-1).equal(unknown)
    assert embedding.eval()(SENTENCES).equal(vectors[SENTENCES])


@pytest.mark.parametrize("words", [Words(WORDS, 4), Words(WORDS, 4, torch.ones(8, 4), 0.3)])
def test_no_other_words_are(words: Words) -> None:
    """Neither those of a file, nor learned ones where nobody asked; nor is a number drawn."""
    embedding = WordEmbedding(words)
    before = torch.get_rng_state()
    assert embedding(SENTENCES).equal(embedding.table.weight[SENTENCES])
    assert torch.get_rng_state().equal(before)


@pytest.mark.parametrize("kind", [SNLI, SST5, SQuAD, SRL, NER, POS, Coref])
def test_word_dropout_reaches_the_model(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = kind(word_dropout=0.3)
    monkeypatch.setattr(kind, "count_words", lambda *_: Counter({"a": 2}))
    WordTask.prepare(task, Dataset.from_list([]))
    assert task.words.dropout == 0.3


def test_words_of_dev_and_test_are_known_where_a_file_has_them(tmp_path: Path) -> None:
    """Without a file, the words of training alone: their vectors are learned there."""
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.conllu").write_text(
            "".join(
                "\t".join((str(i), word, "_", "X", "X", *"_____")) + "\n"
                for i, word in enumerate((split, "twice", "twice"), start=1)
            )
        )
    (tmp_path / "v.txt").write_text("train 1\ndev 2\ntest 3\ntwice 4\nelsewhere 5\n")
    known = {}
    for vectors in (None, str(tmp_path / "v.txt")):
        task = POS(data="open", folder=str(tmp_path), word_vectors=vectors)
        train, dev = task.load("train"), task.load("dev")
        assert train is not None
        assert dev is not None
        task.prepare(train)
        known[vectors is not None] = set(task.vocabulary()["words"])
        assert task.slices(dev[0])["unknown words"] == (0 if vectors else 1)
    assert known == {False: {"twice"}, True: {"train", "dev", "test", "twice"}}
    (tmp_path / "test.conllu").unlink()
    task = POS(data="open", folder=str(tmp_path), word_vectors=vectors)
    task.prepare(train)
    assert set(task.vocabulary()["words"]) == {"train", "dev", "twice"}


def test_words_are_counted_once_a_text() -> None:
    """However many questions or predicates it has, and in every sentence of a document."""
    paragraph = {"context": "a b.", "tokens": ["a", "b", "."]}
    other = {"context": "a.", "tokens": ["a", "."]}
    asked = [{**paragraph, "question": ["who"]}, {**paragraph, "question": ["who", "b"]}]
    counts = SQuAD().count_words([*asked, {**other, "question": ["why"]}])
    assert counts == {"a": 2, "b": 2, ".": 2, "who": 2, "why": 1}
    rows = [("s1", ["a", "b"]), ("s1", ["a", "b"]), ("s2", ["a"])]
    predicates = [{"sentence": name, "words": words} for name, words in rows]
    assert SRL().count_words(predicates) == {"a": 2, "b": 1}
    assert Coref().count_words([{"sentences": [["a"], ["a", "b"]]}]) == {"a": 2, "b": 1}
    assert SNLI().count_words([{"premise": ["a"], "hypothesis": ["a", "b"]}]) == {"a": 2, "b": 1}


def test_words_of_all_parts_of_a_cut_paragraph_are_counted(tmp_path: Path) -> None:
    qas = [
        {"id": word, "question": "Who?", "answers": [{"text": word, "answer_start": start}]}
        for word, start in (("aa", 0), ("dd", 9))
    ]
    article = {"title": "x", "paragraphs": [{"context": "aa bb cc dd", "qas": qas}]}
    content = json.dumps({"version": "1.1", "data": [article]})
    (tmp_path / "train-v1.1.json").write_text(content, encoding="utf-8")
    task = SQuAD(folder=str(tmp_path), longest_paragraph=2)
    counts = task.count_words(task.load("train") or [])
    assert [counts[word] for word in ("aa", "bb", "cc", "dd")] == [1, 1, 1, 1]
