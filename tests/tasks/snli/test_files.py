"""SNLI's files: what each column and number means, and what is the same row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset

from tasks.snli.data import read
from tasks.snli.task import SNLI
from tasks.task import DataError


def rows(folder: Path, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    plain = {"gold_label": "neutral", "sentence1": "A man.", "sentence2": "He sleeps."}
    text = "".join(json.dumps({**plain, **line}) + "\n" for line in lines)
    (folder / "dev.jsonl").write_text(text)
    return list(read(folder, "dev") or [])


def test_the_hub_s_numbers_are_its_labels(tmp_path: Path) -> None:
    """Literally: 0, 1 and 2 are these three; −1 and nothing are none."""
    given = [{"premise": "a", "hypothesis": "b", "label": n} for n in (2, 0, -1, 1, None)]
    Dataset.from_list(given).to_parquet(str(tmp_path / "dev.parquet"))
    found = read(tmp_path, "dev")
    assert found is not None
    assert found["label"][:] == ["contradiction", "entailment", "neutral"]
    assert (found[0]["premise"], found[0]["hypothesis"]) == (["a"], ["b"])


@pytest.mark.parametrize("label", [3, -2, 0.0, "entailment", True])
def test_other_labels_of_the_hub_are_refused(label: object, tmp_path: Path) -> None:
    """They are none of its editions': without a word, their rows would count as unlabelled."""
    given = [{"premise": "a", "hypothesis": "b", "label": label}]
    Dataset.from_list(given).to_parquet(str(tmp_path / "dev.parquet"))
    with pytest.raises(DataError, match=rf"dev\.parquet, row 1: unknown label {label!r}; known: 0"):
        read(tmp_path, "dev")


def test_pairs_of_a_caption_are_known_by_its_id_or_by_the_premise(tmp_path: Path) -> None:
    by_id = rows(tmp_path, {"captionID": "7"}, {"captionID": "7", "sentence1": "A dog."})
    assert [row["caption"] for row in by_id] == ["7", "7"]
    same, premise, other = rows(
        tmp_path, {"sentence2": "No."}, {"sentence2": "Yes."}, {"sentence1": "A dog."}
    )
    assert same["caption"] == premise["caption"] != other["caption"]


def test_a_pair_keeps_its_id_and_one_that_repeats_it_is_kept(tmp_path: Path) -> None:
    found = rows(tmp_path, {"pairID": "p"}, {"pairID": "q"}, {"pairID": "p"}, {})
    assert [row["id"] for row in found] == ["p", "q", "p:3", "dev-4"]


def test_the_official_file_comes_before_a_copy(tmp_path: Path) -> None:
    rows(tmp_path, {"pairID": "copy"})
    (tmp_path / "dev.jsonl").rename(tmp_path / "copy")
    rows(tmp_path, {"pairID": "official"})
    (tmp_path / "dev.jsonl").rename(tmp_path / "snli_1.0_dev.jsonl")
    (tmp_path / "copy").rename(tmp_path / "dev.jsonl")
    assert (read(tmp_path, "dev") or [])[0]["id"] == "official"


def test_the_premise_comes_first(tmp_path: Path) -> None:
    """In the batch, too, where rows take turns: the model tells the two apart by their places."""
    task, found = SNLI(), rows(tmp_path, {}, {"sentence1": "Two dogs run ."})
    assert task.sentences(found[0]) == [["A", "man", "."], ["He", "sleeps", "."]]
    task.restore({"words": ["A", "He", "Two"], "dim": 2})
    assert task.collate(found)["words"][:, 0].tolist() == [2, 3, 4, 3]
