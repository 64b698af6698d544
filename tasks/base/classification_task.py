"""What tasks that choose one of a few labels for an example share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from datasets import Dataset
from torch import Tensor

from tasks.base.word_task import WordTask
from tasks.nn.ensemble import mean
from tasks.scoring import classification
from tasks.task import Example


class ClassificationTask(WordTask):
    """A task whose examples have a `label`, one of `labels`.

    `labels` are set in the class, or in `prepare` and `restore` where training tells them.
    Its model returns `logits` (batch, labels).
    """

    metric = "accuracy"
    labels: Sequence[str] = ()
    read_as: Mapping[str, str] = {}  # new names of labels, by which `score` goes
    counts = staticmethod(classification.counts)
    from_counts = staticmethod(classification.from_counts)

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Choose the likeliest label; `probabilities` has those of all labels."""
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
        """Take the mean of the models' probabilities."""
        return {"logits": mean(output["logits"].float().softmax(1) for output in outputs).log()}

    @property
    def label_names(self) -> Collection[str]:
        return self.labels

    def gold_labels(self, example: Example) -> Collection[str]:
        return {example["label"]}

    def renamed(self, row: Example, names: Mapping[str, str]) -> Example:
        self.read_as = names
        return {**row, **{key: names.get(row[key], row[key]) for key in ("gold", "prediction")}}

    def slices(self, example: Example) -> dict[str, str | int]:
        return {"label": example["label"], **super().slices(example)}

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        """Return accuracy and macro-F1, in percent."""
        gold = [row["gold"] for row in predictions]
        predicted = [row["prediction"] for row in predictions]
        labels = dict.fromkeys(self.read_as.get(label, label) for label in self.labels)
        return classification.score(gold, predicted, list(labels))

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        """Score the label that is commonest in training."""
        majority = Counter(train["label"]).most_common(1)[0][0]
        gold = list(split["label"])
        sure = {label: float(label == majority) for label in self.labels}
        rows = [
            {"id": str(number), "gold": label, "prediction": majority, "probabilities": sure}
            for number, label in enumerate(gold)
        ]
        return {"majority class": self.score(rows)[self.metric]}
