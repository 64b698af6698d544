"""SNLI behind the task contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.data import DataError, locate
from tasks.nn.padding import pad
from tasks.nn.words import PAD, WordEmbedding, Words
from tasks.snli.data import LABELS, SOURCE, read
from tasks.snli.model import ESIM
from tasks.snli.score import score
from tasks.task import Batch, Example, Task


class SNLI(Task):
    """Does the premise entail the hypothesis, contradict it, or neither?

    `word_dim` is the size of word vectors learned from scratch; vectors from a file are fixed
    (the paper's choice) and bring their own.
    """

    metric = "accuracy"

    def __init__(
        self,
        *,
        data: str = "mini",
        folder: str | None = None,
        word_vectors: str | None = None,
        word_dim: int = 300,
        hidden: int = 300,
        dropout: float = 0.5,
        attention_dropout: float = 0.5,
        weight_l2: float = 1e-4,
    ) -> None:
        self.data, self.data_folder = data, folder
        self.word_vectors = Path(word_vectors).expanduser() if word_vectors else None
        self.word_dim = word_dim
        self.sizes: dict[str, Any] = {
            "hidden": hidden,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "weight_l2": weight_l2,
        }

    @cached_property
    def folder(self) -> Path:
        return locate("snli", self.data, self.data_folder, {"open": SOURCE, "paper": SOURCE})

    def load(self, split: str) -> Dataset | None:
        found = read(self.folder, split)
        if found is None and split != "test":
            raise DataError(f"no SNLI {split} file (snli_1.0_{split}.jsonl) in {self.folder}")
        return found

    def prepare(self, train: Dataset) -> None:
        counts = Counter(_words(train))
        if self.word_vectors is None:
            self.words = Words.learned(counts, self.word_dim)
            return
        rest = (self.load(split) for split in ("dev", "test"))
        others = {word for pairs in rest for word in _words(pairs or [])}
        self.words = Words.from_file(self.word_vectors, counts, others)

    def vocabulary(self) -> dict[str, Any]:
        return self.words.state()

    def restore(self, vocabulary: dict[str, Any]) -> None:
        self.words = Words.from_state(vocabulary)

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["premise"], example["hypothesis"]]

    def collate(self, examples: Sequence[Example]) -> Batch:
        sentences = [words for example in examples for words in self.sentences(example)]
        indices = pad([self.words.vocabulary(words) for words in sentences])
        return {
            "words": indices,
            "mask": indices != PAD,
            "labels": torch.tensor([LABELS.index(example["label"]) for example in examples]),
        }

    def model(self, placement: Placement) -> nn.Module:
        return ESIM(WordEmbedding(self.words), placement, labels=len(LABELS), **self.sizes)

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        probabilities = output["logits"].float().softmax(1).tolist()
        return [
            {
                "id": example["id"],
                "gold": example["label"],
                "prediction": LABELS[max(range(len(LABELS)), key=row.__getitem__)],
                "probabilities": dict(zip(LABELS, row, strict=True)),
            }
            for example, row in zip(examples, probabilities, strict=True)
        ]

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        gold = [row["gold"] for row in predictions]
        return score(gold, [row["prediction"] for row in predictions], LABELS)

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        majority = Counter(train["label"]).most_common(1)[0][0]
        gold = list(split["label"])
        return {"majority class": score(gold, [majority] * len(gold), LABELS)[self.metric]}


def _words(pairs: Iterable[Example]) -> Iterator[str]:
    return (word for pair in pairs for side in ("premise", "hypothesis") for word in pair[side])
