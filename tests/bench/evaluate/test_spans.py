"""Runs whose predictions are spans, on other documents than those they were trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.evaluate.conftest import Evaluate, Result, made, rows
from tests.conftest import TINY_ENCODER, front_door

# Without dropout, and to the end, so that every seed and processor learns the data by heart.
BY_HEART = ("task.dropout=0", "elmo.dropout=0", "training.max_epochs=20", "training.patience=20")
TASKS: dict[str, tuple[str, ...]] = {
    "squad": ("task.hidden=4", "task.word_dim=8", "task.char_filters=8"),
    "coref": (
        "task.hidden=8",
        "task.word_dim=8",
        "task.max_width=2",
        "task.spans_per_word=2",
        "task.lexical_dropout=0",
        "training.optimizer.lr=0.01",
    ),
}


def write_squad(folder: Path, names: tuple[str, ...], splits: tuple[str, ...]) -> None:
    for split in splits:
        data = [{"title": name, "paragraphs": [_paragraph(name, split)]} for name in names]
        path = folder / f"{split}-v1.1.json"
        path.write_text(json.dumps({"version": "1.1", "data": data}))


def _paragraph(name: str, split: str) -> dict[str, Any]:
    context = f"{name} lives in Oslo . A dog barked at {name} ."
    answers = [{"text": "Oslo", "answer_start": context.index("Oslo")}]
    question = {"id": f"{split} {name}", "question": f"Where does {name} live?", "answers": answers}
    return {"context": context, "qas": [question]}


def write_coref(folder: Path, names: tuple[str, ...], splits: tuple[str, ...]) -> None:
    for split in splits:
        documents = []
        for name in names:
            words = {name: "(1)", "saw": "-", "a": "(2", "dog": "2)", ".": "-", "She": "(1)"}
            spoken = [name, "saw", "a", "dog", ".", "She", "saw", name, "."]
            lines = [
                "   ".join((name, "0", str(i), word, *"X*---A*", words[word]))
                for i, word in enumerate(spoken)
            ]
            begin = f"#begin document ({split}/{name}); part 000"
            documents += [begin, *lines, "", "#end document"]
        (folder / f"{split}.conll").write_text("\n".join([*documents, ""]))


def exact(found: list[dict[str, Any]]) -> dict[str, float]:
    """The gold answer is "Oslo"; a full stop does not count."""
    right = [row["prediction"].strip(" .") == "Oslo" for row in found]
    return {"exact_match": 100 * sum(right) / len(right)}


def mentions(found: list[dict[str, Any]]) -> dict[str, float]:
    sides: list[set[tuple[str, int, int]]] = [
        {(row["id"], *span) for row in found for cluster in row[side] for span in cluster}
        for side in ("gold", "prediction")
    ]
    both = 100 * len(sides[0] & sides[1])
    return {"mentions_recall": both / len(sides[0]), "mentions_precision": both / len(sides[1])}


WRITE = {"squad": write_squad, "coref": write_coref}
BY_HAND = {"squad": exact, "coref": mentions}


@pytest.mark.parametrize("task", TASKS)
def test_other_documents_are_predicted_and_scored(
    task: str, call: Evaluate, result: Result, tmp_path: Path
) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    WRITE[task](home, ("Anna", "Omar", "Wei"), ("train", "dev"))
    WRITE[task](away, ("Omar", "Anna"), ("dev",))
    words = [f"task={task}", f"data.dir={home}", f"paths.runs={tmp_path / 'runs'}", "trainer=cpu"]
    words += [*BY_HEART, *TASKS[task], *TINY_ENCODER]
    assert front_door(*words) == 0
    (run,) = (tmp_path / "runs" / task).iterdir()

    status, _ = call(run, f"data.dir={home}")
    assert status == 0
    (again,) = made(run)
    assert result(again)["metrics"]["dev"] == result(run)["metrics"]["dev"]
    assert [row["prediction"] for row in rows(again)] == [row["prediction"] for row in rows(run)]

    status, _ = call(run, f"data.dir={away}")
    assert status == 0
    (other,) = (folder for folder in made(run) if folder != again)
    found = rows(other)
    assert result(other)["counts"]["dev"] == len(found) == 2
    for name, value in BY_HAND[task](found).items():
        assert value > 0
        assert result(other)["metrics"]["dev"][name] == pytest.approx(value)
    assert result(other)["data"]["dir"] == str(away)
