"""SNLI behind the task contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import nn

from elmo_core import Placement
from tasks.base.classification_task import ClassificationTask
from tasks.base.files import find
from tasks.base.new_text import tokens_of
from tasks.nn.words import GLOVE_STD, WordEmbedding
from tasks.snli.data import LABELS, names, read
from tasks.snli.model import ESIM, Sizes
from tasks.snli.sources import SOURCES
from tasks.task import Batch, Example


class SNLI(ClassificationTask):
    """Does the premise entail the hypothesis, contradict it, or neither?

    Word vectors from a file are fixed (the paper's choice). For the keywords, see WordTask and
    model.Sizes.
    """

    name = "snli"
    labels = LABELS
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"premise": "A man sleeps.", "hypothesis": "Nobody is awake."}

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split)

    def paths(self, split: str) -> list[Path]:
        path = find(self.folder, names(split))
        return [path] if path else []

    def files(self, split: str) -> str:
        return ", ".join(names(split))

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        return Counter(word for e in examples for words in self.sentences(e) for word in words)

    def parse(self, fields: Mapping[str, Any]) -> Example:
        premise, hypothesis = (tokens_of(fields, key) for key in ("premise", "hypothesis"))
        return {"premise": premise, "hypothesis": hypothesis, "label": LABELS[0]}

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["premise"], example["hypothesis"]]

    def cluster(self, example: Example) -> str:
        """Name the picture: people wrote several captions of it, and several hypotheses for each;
        the number of a caption stands behind a `#`."""
        caption = str(example["caption"])
        return caption.rpartition("#")[0] or caption

    def collate(self, examples: Sequence[Example]) -> Batch:
        sentences = [words for example in examples for words in self.sentences(example)]
        return {
            **self.looked_up(sentences),
            "labels": torch.tensor([LABELS.index(example["label"]) for example in examples]),
        }

    def model(self, placement: Placement) -> nn.Module:
        words = WordEmbedding(self.words, std=GLOVE_STD)
        return ESIM(words, placement, self.sizes, labels=len(LABELS))
