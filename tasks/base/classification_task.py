"""What tasks that choose one of a few labels for an example share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from datasets import Dataset
from torch import Tensor

from tasks.base.word_task import WordTask
from tasks.nn.ensemble import mean
from tasks.scoring.classification import score
from tasks.task import Example


class ClassificationTask(WordTask):
    """Examples have a `label`, one of `labels`; the model returns `logits` (batch, labels)."""

    metric = "accuracy"
    labels: ClassVar[Sequence[str]]

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        probabilities = output["logits"].float().softmax(1)
        best = probabilities.argmax(1).tolist()
        return [
            {
                "id": example["id"],
                "gold": example["label"],
                "prediction": self.labels[i],
                "probabilities": dict(zip(self.labels, row, strict=True)),
            }
            for example, i, row in zip(examples, best, probabilities.tolist(), strict=True)
        ]

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """The mean of the probabilities."""
        return {"logits": mean(output["logits"].float().softmax(1) for output in outputs).log()}

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        gold = [row["gold"] for row in predictions]
        return score(gold, [row["prediction"] for row in predictions], self.labels)

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        majority = Counter(train["label"]).most_common(1)[0][0]
        gold = list(split["label"])
        return {"majority class": score(gold, [majority] * len(gold), self.labels)[self.metric]}
