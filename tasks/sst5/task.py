"""SST-5 behind the task contract."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import nn

from elmo_core import Placement
from tasks.base.classification_task import ClassificationTask
from tasks.base.new_text import tokens_of
from tasks.base.sizes import check
from tasks.nn.words import GLOVE_STD, WordEmbedding
from tasks.sst5.data import LABELS, file_of, read
from tasks.sst5.model import BCN, Sizes
from tasks.sst5.sources import SOURCES
from tasks.task import Batch, Example


class SST5(ClassificationTask):
    """How positive is a sentence, on a scale of five?

    Trained on sentences and, with `phrases`, on their constituents of `min_phrase` words or more;
    scored on sentences. Word vectors from a file are fixed. For `others`, see WordTask and
    model.Sizes.
    """

    name = "sst5"
    labels = LABELS
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"text": "A film without a heart."}

    def __init__(self, *, phrases: bool = True, min_phrase: int = 4, **others: Any) -> None:
        check("phrases", phrases, bool)
        check("min_phrase", min_phrase, int)
        super().__init__(**others)
        self.min_phrase = min_phrase if phrases else None

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split, self.min_phrase if split == "train" else None)

    def paths(self, split: str) -> list[Path]:
        path = file_of(self.folder, split)
        return [path] if path else []

    def files(self, split: str) -> str:
        return f"{split}.txt, the trees; {split}.jsonl or {split}.parquet, sentences alone"

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        # Phrases repeat the words of their sentence, and would make every rare word a frequent one.
        # But of a sentence that is not drawn (data.train_share) they are all that there is.
        sentences: dict[str, Counter[str]] = defaultdict(Counter)
        for example in examples:
            name = example["id"].rpartition("-")[0] if example["phrase"] else example["id"]
            sentences[name] |= Counter(example["words"])
        counts: Counter[str] = Counter()
        for each in sentences.values():
            counts.update(each)
        return counts

    def parse(self, fields: Mapping[str, Any]) -> Example:
        return {"words": tokens_of(fields), "label": LABELS[0], "phrase": False}

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["words"]]

    def collate(self, examples: Sequence[Example]) -> Batch:
        return {
            **self.looked_up(example["words"] for example in examples),
            "labels": torch.tensor([LABELS.index(example["label"]) for example in examples]),
        }

    def model(self, placement: Placement) -> nn.Module:
        words = WordEmbedding(self.words, std=GLOVE_STD)
        return BCN(words, placement, self.sizes, labels=len(LABELS))

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        sentences = train.filter(lambda row: not row["phrase"])
        return super().yardsticks(sentences if len(sentences) else train, split)
