"""SQuAD's files where they are not as they should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasets import Dataset

from tasks.squad.data import locate, read
from tasks.task import DataError


def test_an_answer_without_a_place_is_refused(tmp_path: Path) -> None:
    answers = {"text": ["a", "b"], "answer_start": [0]}
    row = {"id": "1", "context": "a b", "question": "Who?", "answers": answers}
    Dataset.from_list([row]).to_parquet(str(tmp_path / "dev.parquet"))
    with pytest.raises(DataError, match="row 1: expected an answer_start for each text"):
        read(tmp_path, "dev")


def test_a_spare_training_file_is_not_dev(tmp_path: Path) -> None:
    for name in ("train-v1.1.json", "train-small.json"):
        (tmp_path / name).touch()
    assert locate(tmp_path, "dev") is None
    (tmp_path / "mine.json").touch()
    assert locate(tmp_path, "dev") == tmp_path / "mine.json"
