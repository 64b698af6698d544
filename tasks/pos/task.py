"""Parts of speech behind the task contract."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.base.control import control_of_words
from tasks.base.new_text import tokens_of
from tasks.base.word_task import WordTask
from tasks.formats.tagged import XPOS, check_tags, files, locate, read
from tasks.formats.tags import by_word
from tasks.nn.ensemble import mean
from tasks.nn.padding import pad
from tasks.nn.surprisal import bits
from tasks.nn.words import PAD, WordEmbedding
from tasks.pos.model import IGNORED, Probe, Sizes
from tasks.pos.sources import SOURCES
from tasks.scoring import tagging as scoring
from tasks.task import Batch, Example

log = logging.getLogger(__name__)


class POS(WordTask):
    """What part of speech is each word?

    `tags`: "xpos", the language's own (of the Penn Treebank in English), or "upos", the universal
    ones. Word vectors are of the model without an encoder. For `others`, see WordTask and
    model.Sizes.
    """

    name = "pos"
    metric = "accuracy"
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"text": "Anna Reed met her sister in Oslo."}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def __init__(self, *, tags: str = XPOS, **others: Any) -> None:
        check_tags(tags)
        super().__init__(**others)
        self.which = tags

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split, self.which)

    def paths(self, split: str) -> list[Path]:
        return locate(self.folder, split)

    def files(self, split: str) -> str:
        return files(split)

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        return Counter(word for example in examples for word in example["tokens"])

    def prepare(self, train: Dataset) -> None:
        super().prepare(train)
        self.tags = sorted({tag for tags in train["tags"] for tag in tags})

    def vocabulary(self) -> dict[str, Any]:
        return {**super().vocabulary(), "tags": self.tags}

    def restore(self, vocabulary: dict[str, Any]) -> None:
        super().restore(vocabulary)
        self.tags = vocabulary["tags"]

    def parse(self, fields: Mapping[str, Any]) -> Example:
        tokens = tokens_of(fields)
        return {"tokens": tokens, "tags": self.tags[:1] * len(tokens)}

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["tokens"]]

    def collate(self, examples: Sequence[Example]) -> Batch:
        index = {tag: i for i, tag in enumerate(self.tags)}
        words = pad([self.words.vocabulary(example["tokens"]) for example in examples])
        tags = [[index.get(tag, IGNORED) for tag in example["tags"]] for example in examples]
        return {"words": words, "mask": words != PAD, "tags": pad(tags, IGNORED)}

    def model(self, placement: Placement) -> nn.Module:
        if placement.active and (self.word_dropout or self.word_vectors):
            log.warning(
                "with an encoder the probe has no words of its own (elmo.placement=none has): "
                "word_dropout and word_vectors change nothing in it"
            )
        return Probe(WordEmbedding(self.words, trainable=True), placement, len(self.tags))

    @property
    def labels(self) -> Sequence[str]:
        return self.tags

    @property
    def label_names(self) -> Collection[str]:
        return self.tags

    def gold_labels(self, example: Example) -> Collection[str]:
        return set(example["tags"])

    def renamed(self, row: Example, names: Mapping[str, str]) -> Example:
        sides = ("gold", "prediction")
        return {**row, **{key: [names.get(tag, tag) for tag in row[key]] for key in sides}}

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """Take the mean of the tags' probabilities."""
        return {"logits": mean(o["logits"].float().softmax(2) for o in outputs).log()}

    def control(self, train: Dataset, seed: int) -> Callable[[Example], Example]:
        return control_of_words(train, seed, words="tokens", labels="tags")

    def surprisals(
        self, output: dict[str, Tensor], examples: Sequence[Example]
    ) -> list[list[float]]:
        index = {tag: i for i, tag in enumerate(self.tags)}
        return bits(output["logits"], [[index[tag] for tag in e["tags"]] for e in examples])

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        return [
            {
                "id": example["id"],
                "tokens": example["tokens"],
                "gold": example["tags"],
                "prediction": [self.tags[i] for i in best[: len(example["tokens"])]],
            }
            for example, best in zip(examples, output["logits"].argmax(2).tolist(), strict=True)
        ]

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        """Write gold with all tags, and of the prediction those that differ; see Task."""
        tokens, gold = example["tokens"], row["gold"]
        trios = list(zip(tokens, gold, row["prediction"], strict=True))
        return {
            "text": " ".join(tokens),
            "gold": " ".join(f"{word}/{tag}" for word, tag, _ in trios),
            "prediction": " ".join(f"{w}/{tag}" if tag != right else w for w, right, tag in trios),
        }

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        gold = [row["gold"] for row in predictions]
        return scoring.score(gold, [row["prediction"] for row in predictions])

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        seen = by_word(train)
        commonest = sum(seen.values(), Counter[str]()).most_common(1)[0][0]
        usual = {word: tags.most_common(1)[0][0] for word, tags in seen.items()}
        gold, texts = list(split["tags"]), list(split["tokens"])
        guesses = {
            "each word's usual tag": [[usual.get(w, commonest) for w in words] for words in texts],
            "commonest tag": [[commonest] * len(tags) for tags in gold],
        }
        return {name: scoring.score(gold, guess)[self.metric] for name, guess in guesses.items()}
