"""Nearest uses of a word behind the task contract."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.base.folder_task import FolderTask
from tasks.base.new_text import tokens_of
from tasks.base.sizes import check
from tasks.formats.tagged import XPOS, check_tags, files, locate, read
from tasks.formats.tagged_sources import SOURCES
from tasks.formats.tags import by_word
from tasks.neighbours.model import NearestUse
from tasks.nn.nearest import NONE
from tasks.nn.padding import pad, pad_twice
from tasks.scoring import tagging as scoring
from tasks.task import Batch, Example, Respell

WINDOW = 8  # words of a context, on each side

log = logging.getLogger(__name__)


class Use(NamedTuple):
    """One occurrence of a word in training; JSON makes a list of it, in this order."""

    example: str  # its id
    place: int  # of the word in it, from 0
    tag: str
    context: str


class Neighbours(FolderTask):
    """Where a word has several parts of speech: has the nearest use of it in training the same?

    Only words that training shows with two tags or more are asked; a word takes the tag of its
    nearest use, or its usual one without an encoder.

    `tags`: "xpos", the language's own, or "upos", the universal ones; `uses`: how many of a word
    are kept, the first ones. For `others`, see FolderTask.
    """

    name = "pos"  # tagged text lies in a folder of this name
    metric = "accuracy"
    sources = SOURCES
    example_input = {"text": "She can open the can."}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def __init__(self, *, tags: str = XPOS, uses: int = 100, **others: Any) -> None:
        check_tags(tags)
        check("uses", uses, int)
        super().__init__(**others)
        self.which, self.most = tags, uses

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split, self.which)

    def paths(self, split: str) -> list[Path]:
        return locate(self.folder, split)

    def files(self, split: str) -> str:
        return files(split)

    def prepare(self, train: Dataset) -> None:
        usual = {word: tags.most_common(1)[0][0] for word, tags in ambiguous(train).items()}
        if not usual:
            log.warning("not one word of train has several tags, so that nothing is asked")
        uses: dict[str, list[Use]] = {word: [] for word in usual}
        for example in train:
            tokens = example["tokens"]
            for place, (word, tag) in enumerate(zip(tokens, example["tags"], strict=True)):
                if word in uses and len(uses[word]) < self.most:
                    use = Use(example["id"], place, tag, context(tokens, place))
                    uses[word].append(use)
        self.tags = sorted({tag for tags in train["tags"] for tag in tags})
        self._set_uses(uses, usual)

    def vocabulary(self) -> dict[str, Any]:
        return {"uses": self.uses, "usual": self.usual, "tags": self.tags}

    def restore(self, vocabulary: dict[str, Any]) -> None:
        uses = vocabulary["uses"]
        self._set_uses({w: [Use(*use) for use in uses[w]] for w in uses}, vocabulary["usual"])
        self.tags = vocabulary.get("tags") or sorted({use.tag for use in self.all})  # of old: none

    def _set_uses(self, uses: dict[str, list[Use]], usual: dict[str, str]) -> None:
        """Take the uses of training, and number them word by word."""
        self.uses, self.usual = uses, usual
        self.all = [use for of_word in uses.values() for use in of_word]
        self.number = {(use.example, use.place): i for i, use in enumerate(self.all)}
        self.numbers: dict[str, range] = {}
        for word, of_word in uses.items():
            first = self.number[of_word[0].example, of_word[0].place]
            self.numbers[word] = range(first, first + len(of_word))

    @property
    def label_names(self) -> Collection[str]:
        return self.tags

    def gold_labels(self, example: Example) -> Collection[str]:
        """Name the tags of the words that are asked."""
        return {example["tags"][place] for place in self.asked(example)}

    def renamed(self, row: Example, names: Mapping[str, str]) -> Example:
        sides = ("gold", "prediction")
        return {**row, **{key: [names.get(tag, tag) for tag in row[key]] for key in sides}}

    def parse(self, fields: Mapping[str, Any]) -> Example:
        tokens = tokens_of(fields)
        return {"tokens": tokens, "tags": [self.usual.get(word, "") for word in tokens]}

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["tokens"]]

    def respelled(self, example: Example, respell: Respell) -> Example:
        """Spell words otherwise but for those that are asked, which are the question; nor does a
        word become one of them."""
        pairs = zip(example["tokens"], respell(example["tokens"]), strict=True)
        tokens = [old if {old, new} & self.usual.keys() else new for old, new in pairs]
        return {**example, "tokens": tokens}

    def asked(self, example: Example) -> list[int]:
        """Return the places of the words that are asked."""
        return [place for place, word in enumerate(example["tokens"]) if word in self.usual]

    def collate(self, examples: Sequence[Example]) -> Batch:
        places = [self.asked(example) for example in examples]
        both = list(zip(examples, places, strict=True))
        own = [[self.number.get((e["id"], place), NONE) for place in ps] for e, ps in both]
        uses = [[self.numbers[e["tokens"][place]] for place in ps] for e, ps in both]
        return {
            "mask": pad([[1] * len(example["tokens"]) for example in examples]).bool(),
            "places": pad(places, NONE),
            "own": pad(own, NONE),
            "uses": pad_twice(uses, NONE),
        }

    def model(self, placement: Placement) -> nn.Module:
        return NearestUse(placement, len(self.all))

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Give each word that is asked a tag: `neighbours` are the contexts of their nearest uses
        and `similarity` their cosines, null where the word took its usual tag."""
        nearest, similarity = output["nearest"].tolist(), output["similarity"].tolist()
        rows = []
        for example, numbers, cosines in zip(examples, nearest, similarity, strict=True):
            places = self.asked(example)
            words = [example["tokens"][place] for place in places]
            uses = [None if n == NONE else self.all[n] for n in numbers[: len(places)]]
            found = list(zip(words, uses, cosines, strict=False))
            rows.append(
                {
                    "id": example["id"],
                    "contexts": [context(example["tokens"], place) for place in places],
                    "gold": [example["tags"][place] for place in places],
                    "prediction": [use.tag if use else self.usual[word] for word, use, _ in found],
                    "neighbours": [use and use.context for _, use, _ in found],
                    "similarity": [cosine if use else None for _, use, cosine in found],
                }
            )
        return rows

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        gold = [row["gold"] for row in predictions]
        return scoring.score(gold, [row["prediction"] for row in predictions])

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        """Score the usual tag, and a use of the word drawn by lot, which scores the mean over all
        uses."""
        tags = ambiguous(train)
        seen = [
            (tags[word], tag)
            for example in split
            for word, tag in zip(example["tokens"], example["tags"], strict=True)
            if word in tags
        ]
        usual = sum(of.most_common(1)[0][0] == tag for of, tag in seen)
        drawn = sum(of[tag] / of.total() for of, tag in seen)
        words = max(len(seen), 1)
        return {"usual tag of the word": 100 * usual / words, "any use": 100 * drawn / words}


def ambiguous(train: Dataset) -> dict[str, Counter[str]]:
    """Find the words that have several tags, and how often they have each."""
    return {word: of for word, of in by_word(train).items() if len(of) > 1}


def context(tokens: Sequence[str], place: int) -> str:
    """Quote a word, between asterisks, and the words around it."""
    begin = max(0, place - WINDOW)
    words = [*tokens[begin:place], f"*{tokens[place]}*", *tokens[place + 1 : place + 1 + WINDOW]]
    return " ".join(words)
