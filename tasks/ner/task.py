"""Named entities behind the task contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.base.new_text import tokens_of
from tasks.base.word_task import WordTask
from tasks.formats.tags import (
    BIO,
    BIOES,
    OUTSIDE,
    bracketed,
    by_word,
    chunks,
    convert,
    inventory,
    renamed,
    types,
)
from tasks.ner import score as scoring
from tasks.ner.data import FILES, locate, read
from tasks.ner.model import Sizes, Tagger
from tasks.ner.sources import SOURCES
from tasks.nn.char_words import spell
from tasks.nn.ensemble import mean
from tasks.nn.padding import pad
from tasks.nn.viterbi import viterbi
from tasks.nn.words import WordEmbedding
from tasks.task import Batch, Example

POTENTIALS = ("emissions", "transitions", "start", "end")


class NER(WordTask):
    """Which tokens name what?

    `scheme`, "bioes" or "bio", is what the model learns; files may use any, predictions and
    scores are in BIO. Words are looked up in lower case, their capitals are left to the
    characters; vectors from a file are fine-tuned. For `others`, see WordTask and model.Sizes.
    """

    name = "ner"
    metric = "f1"
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"text": "Anna Reed met her sister in Oslo."}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def __init__(self, *, scheme: str = BIOES, **others: Any) -> None:
        if scheme not in (BIO, BIOES):
            raise ValueError(f"scheme={scheme}: unknown (choose {BIOES} or {BIO})")
        super().__init__(**others)
        self.scheme = scheme
        self.seen: set[tuple[str, str]] = set()  # names of training

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split)

    def paths(self, split: str) -> list[Path]:
        path = locate(self.folder, split)
        return [path] if path else []

    def files(self, split: str) -> str:
        return ", ".join(FILES[split])

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        return Counter(word.lower() for example in examples for word in example["tokens"])

    def prepare(self, train: Dataset) -> None:
        super().prepare(train)
        self.kinds = sorted(types(tag for tags in train["tags"] for tag in tags))
        self.seen = {name for example in train for name in _names(example)}

    @property
    def tags(self) -> list[str]:
        """The tags that the model chooses from, O first."""
        return inventory(self.kinds, self.scheme)

    @property
    def labels(self) -> Sequence[str]:
        return self.tags

    @property
    def label_names(self) -> Collection[str]:
        return self.kinds

    def gold_labels(self, example: Example) -> Collection[str]:
        return types(example["tags"])

    def renamed(self, row: Example, names: Mapping[str, str]) -> Example:
        """Rename the types of chunks; one that becomes O is no chunk any more."""
        return {**row, **{key: renamed(row[key], names) for key in ("gold", "prediction")}}

    def vocabulary(self) -> dict[str, Any]:
        return {**super().vocabulary(), "kinds": self.kinds, "names": sorted(self.seen)}

    def restore(self, vocabulary: dict[str, Any]) -> None:
        super().restore(vocabulary)
        self.kinds = vocabulary["kinds"]
        self.seen = {(name, kind) for name, kind in vocabulary.get("names", ())}  # of old: none

    def parse(self, fields: Mapping[str, Any]) -> Example:
        tokens = tokens_of(fields)
        return {"tokens": tokens, "tags": [OUTSIDE] * len(tokens)}

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["tokens"]]

    def collate(self, examples: Sequence[Example]) -> Batch:
        index = {tag: i for i, tag in enumerate(self.tags)}
        outside = index[OUTSIDE]
        gold = (convert(example["tags"], BIO, self.scheme) for example in examples)
        sentences = [example["tokens"] for example in examples]
        spellings, spelled = spell(sentences)
        return {
            **self.looked_up(sentences),
            "spellings": spellings,
            "spelled": spelled,
            # A type that training did not show cannot be predicted: `score` counts it as missed.
            "tags": pad([[index.get(tag, outside) for tag in tags] for tags in gold]),
        }

    def model(self, placement: Placement) -> nn.Module:
        words = WordEmbedding(self.words, trainable=True)
        return Tagger(words, placement, self.sizes, tags=self.tags, scheme=self.scheme)

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        names = ("emissions", "mask", "transitions", "start", "end")
        paths = viterbi(*(output[name] for name in names))
        tags = self.tags
        return [
            {
                "id": example["id"],
                "tokens": example["tokens"],
                "gold": example["tags"],
                "prediction": convert([tags[i] for i in path], self.scheme, BIO),
            }
            for example, path in zip(examples, paths, strict=True)
        ]

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """Take the mean, which is the sum but for the scale, of the chains' log-potentials."""
        chain = {name: mean(output[name] for output in outputs) for name in POTENTIALS}
        return {**chain, "mask": outputs[0]["mask"]}

    def slices(self, example: Example) -> dict[str, str | int]:
        """Add the types of the names, and whether training has shown all of them; see Task."""
        names = _names(example)
        kinds = sorted({kind for _, kind in names})
        new = sum(name not in self.seen for name in names)
        found = {**super().slices(example), "types": " ".join(kinds) or "no name"}
        return {**found, "new names": new} if self.seen else found

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        sides = {side: bracketed(example["tokens"], row[side]) for side in ("gold", "prediction")}
        return {"text": " ".join(example["tokens"]), **sides}

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        gold = [row["gold"] for row in predictions]
        return scoring.score(gold, [row["prediction"] for row in predictions])

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        gold, texts = list(split["tags"]), list(split["tokens"])
        kinds = Counter(tag[2:] for tags in train["tags"] for tag in tags if tag[0] == "B")
        usual = {word: tags.most_common(1)[0][0] for word, tags in by_word(train).items()}
        named = f"I-{kinds.most_common(1)[0][0]}" if kinds else OUTSIDE
        guesses = {
            "each word's usual tag": [[usual.get(w, OUTSIDE) for w in words] for words in texts],
            "capitals are names": [
                [named if i and w[0].isupper() else OUTSIDE for i, w in enumerate(words)]
                for words in texts
            ],
        }
        return {name: scoring.score(gold, guess)[self.metric] for name, guess in guesses.items()}


def _names(example: Example) -> set[tuple[str, str]]:
    """Return the names of a sentence, each with its type."""
    tokens = example["tokens"]
    return {(" ".join(tokens[i:j]), kind) for i, j, kind in chunks(example["tags"])}
