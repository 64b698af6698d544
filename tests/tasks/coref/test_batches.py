"""Coreference's documents side by side in a batch, and what is told of each."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from datasets import Dataset

from tasks.coref import Coref
from tasks.coref.data import read

WORDS = {"words": ["a"], "dim": 2}


def test_mentions_go_to_the_document_that_they_begin_in() -> None:
    """From its first token on, counted from there; a mention may link to the first of all."""
    examples = [
        {"id": "one", "sentences": [["a", "b"], ["c"]], "clusters": []},
        {"id": "two", "sentences": [["d", "e", "f"]], "clusters": [[[0, 0]]]},
    ]
    output = {
        "mentions": torch.tensor([[0, 0], [1, 2], [3, 3], [3, 5]]),
        "antecedent": torch.tensor([-1, 0, -1, 2]),
        "probability": torch.tensor([0.0, 0.7, 0.0, 0.9]),
    }
    one, two = Coref().predict(output, examples)
    assert (one["id"], one["prediction"]) == ("one", [[[0, 0], [1, 2]]])
    assert (two["id"], two["prediction"]) == ("two", [[[0, 0], [0, 2]]])
    assert two["gold"] == [[[0, 0]]]
    assert (one["mentions"], two["mentions"]) == ([["a", "b c"]], [["d", "d e f"]])
    assert two["links"] == [[[0, 2], [0, 0], pytest.approx(0.9)]]


def test_clusters_and_tokens_are_counted_through_a_batch() -> None:
    task = Coref()
    task.restore({**WORDS, "genres": ["bc", "nw"]})
    documents = [
        {"sentences": [["a"], ["a", "a"]], "clusters": [[[0, 0], [1, 2]]], "genre": "nw"},
        {"sentences": [["a", "a"]], "clusters": [[[0, 1]], [[1, 1]]], "genre": "wb"},
    ]
    for each in documents:
        each["speakers"] = [["A"] * len(words) for words in each["sentences"]]
    batch = task.collate(documents)
    assert batch["gold"].tolist() == [[0, 0, 1], [1, 2, 1], [3, 4, 2], [4, 4, 3]]
    assert batch["genre"].tolist() == [2, 0]


def test_documents_that_tell_no_genre_make_none() -> None:
    task = Coref()
    train = Dataset.from_list([{"genre": g, "sentences": [["a"]]} for g in ("nw", "", "bc")])
    task.prepare(train)
    assert task.genres == ["bc", "nw"]


@pytest.mark.parametrize(
    ("name", "genre"),
    [
        *((f"{genre}/x/00/x_0001", genre) for genre in ("bc", "bn", "mz", "nw", "pt", "tc", "wb")),
        ("GUM_academic_art", "academic"),
        ("543_bleak_house_brat", ""),
    ],
)
def test_a_name_tells_the_genre(name: str, genre: str, tmp_path: Path) -> None:
    row = f"{name} 0 0 w {'- ' * 8}\n"
    (tmp_path / "dev.conll").write_text(f"#begin document ({name}); part 0\n{row}#end document\n")
    (found,) = read(tmp_path, "dev", drop_singletons=False) or ()
    assert found["genre"] == genre


def test_a_folder_s_files_are_all_read(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        path = tmp_path / "train" / name / f"{name}.v4_gold_conll"
        path.parent.mkdir(parents=True)
        row = f"{name} 0 0 w {'- ' * 8}\n"
        path.write_text(f"#begin document ({name}); part 0\n{row}#end document\n")
    found = read(tmp_path, "train", drop_singletons=False)
    assert found is not None
    assert found["id"][:] == ["a:0", "b:0", "c:0"]
