"""What tasks that choose a label for an example have in common, with SNLI as one of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from datasets import Dataset

from tasks.base.classification_task import ClassificationTask
from tasks.snli import SNLI
from tasks.task import Example


def test_the_yardstick_is_trainings_commonest_label() -> None:
    """Whatever is commonest in the split that is scored."""
    train = Dataset.from_dict({"label": ["neutral", "entailment", "entailment"]})
    dev = Dataset.from_dict({"label": ["neutral", "neutral", "entailment", "neutral"]})
    assert SNLI().yardsticks(train, dev) == {"majority class": pytest.approx(25)}


def test_the_yardstick_has_the_metric_of_a_class_derived_from_one_of_ours() -> None:
    class Wrong(SNLI):
        metric = "wrong"

        def score(self, predictions: Sequence[Example]) -> dict[str, float]:
            return {"wrong": 100 - super().score(predictions)["accuracy"]}

    labels = Dataset.from_dict({"label": ["neutral", "neutral", "neutral", "entailment"]})
    assert Wrong().yardsticks(labels, labels) == {"majority class": pytest.approx(25)}


def test_each_label_has_its_own_probability() -> None:
    logits = torch.tensor([[0.2, 0.7, 0.1], [0.3, 0.1, 0.6]]).log()
    examples = [{"id": "1", "label": "neutral"}, {"id": "2", "label": "entailment"}]
    rows = SNLI().predict({"logits": logits}, examples)
    assert [(row["id"], row["gold"]) for row in rows] == [("1", "neutral"), ("2", "entailment")]
    assert [row["prediction"] for row in rows] == ["neutral", "contradiction"]
    shares = {"entailment": 0.3, "neutral": 0.1, "contradiction": 0.6}
    assert rows[1]["probabilities"] == pytest.approx(shares)


def test_a_slice_is_of_a_label_and_of_unknown_words() -> None:
    task = SNLI()
    task.restore({"words": ["a"], "dim": 2})
    example = {"label": "neutral", "premise": ["a", "b"], "hypothesis": ["c", "a", "d"]}
    found = task.slices(example)
    assert (found["label"], found["unknown words"]) == ("neutral", 3)


def test_labels_may_be_learned() -> None:
    class Learned(SNLI):
        labels = ClassificationTask.labels  # none by themselves

        def prepare(self, train: Dataset) -> None:
            self.labels = sorted(set(train["label"]))

    task = Learned()
    task.prepare(Dataset.from_dict({"label": ["b", "a", "b"]}))
    assert list(task.label_names) == ["a", "b"]
    (row,) = task.predict({"logits": torch.tensor([[0.0, 1.0]])}, [{"id": "1", "label": "a"}])
    assert (row["prediction"], set(row["probabilities"])) == ("b", {"a", "b"})


def test_scores_of_renamed_labels_are_of_the_new_ones() -> None:
    task = SNLI()
    both = {"neutral": "not", "contradiction": "not"}
    rows = [
        {"gold": "neutral", "prediction": "contradiction"},
        {"gold": "entailment", "prediction": "entailment"},
    ]
    scores = task.score([task.renamed(row, both) for row in rows])
    assert scores == dict.fromkeys(scores, 100)
    merged = task.score([task.renamed(row, {"neutral": "contradiction"}) for row in rows])
    assert merged == dict.fromkeys(scores, 100)
