"""Word senses behind the task contract."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.base.folder_task import FolderTask
from tasks.base.new_text import place_of, text_of, tokens_of
from tasks.base.sizes import check
from tasks.nn.nearest import NONE
from tasks.nn.padding import pad, pad_twice
from tasks.nn.space import check_space
from tasks.task import Batch, DataError, Example
from tasks.wsd import score as scoring
from tasks.wsd.corpus import LETTERS
from tasks.wsd.data import SETS, answers, document, first_senses, inventory, read, texts
from tasks.wsd.model import SenseAverages
from tasks.wsd.sources import SOURCES


class WSD(FolderTask):
    """In which of its senses is a word used?

    An instance takes the sense, of those that training showed of its lemma and part of speech,
    whose average is nearest; if there is none, the first sense of the inventory. So do all without
    an encoder.

    `space`: where vectors are compared, raw, centred or whitened (tasks/nn/space.py); `held_out`:
    every so many-th document of SemCor is dev, instead of SemEval-2007. For `others`, see
    FolderTask.

    Raises:
        ValueError: `space` is unknown, or `held_out` below 2.
    """

    name = "wsd"
    metric = "f1"
    sources = SOURCES
    example_input = {"text": "Anna met her sister in Oslo.", "word": "sister", "pos": "NOUN"}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def __init__(self, *, space: str = "raw", held_out: int | None = None, **others: Any) -> None:
        check_space(space)
        check("held_out", held_out, int | None)
        if held_out is not None and held_out < 2:
            raise ValueError(f"task.held_out={held_out}: must be 2 or more, or null")
        super().__init__(**others)
        self.space, self.held_out = space, held_out

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split, self.held_out)

    def paths(self, split: str) -> list[Path]:
        """Return the texts, the answers beside each, and with them the inventory, if it is there:
        what is trained has the first senses."""
        paths = texts(self.folder, split, self.held_out)
        found = [*paths, *map(answers, paths)]
        with suppress(DataError):
            found += [inventory(self.folder)] if paths else []
        return found

    def files(self, split: str) -> str:
        names = SETS["train" if self.held_out and split == "dev" else split]
        return " or ".join(f"{name}.data.xml" for name in names)

    def prepare(self, train: Dataset) -> None:
        self._set_senses(by_frequency(train), first_senses(self.folder))

    def vocabulary(self) -> dict[str, Any]:
        return {"senses": self.senses, "first": self.first}

    def restore(self, vocabulary: dict[str, Any]) -> None:
        self._set_senses(vocabulary["senses"], vocabulary["first"])

    def _set_senses(self, senses: dict[str, list[str]], first: dict[str, str]) -> None:
        """Take the senses of training, and number them lemma by lemma."""
        self.senses, self.first = senses, first
        self.keys = [key for keys in senses.values() for key in keys]
        number = count()
        self.numbers = {
            lemma: {key: next(number) for key in keys} for lemma, keys in senses.items()
        }

    def parse(self, fields: Mapping[str, Any]) -> Example:
        """Make an example of a text and `word`, one of its words, or its place from 0; `pos` is
        NOUN, VERB, ADJ or ADV, and `lemma` by default the word itself."""
        tokens, pos = tokens_of(fields), text_of(fields, "pos")
        place = place_of(fields, "word", tokens)
        if pos not in LETTERS:
            raise DataError(f"pos: {pos!r} is unknown (choose {', '.join(LETTERS)})")
        lemma = str(fields.get("lemma", tokens[place])).lower().replace(" ", "_")
        return {
            "set": "given",
            "tokens": tokens,
            "instances": [tokens[place]],
            "lemmas": [f"{lemma}#{LETTERS[pos]}"],
            "spans": [[place, place + 1]],
            "senses": [[]],
        }

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["tokens"]]

    def collate(self, examples: Sequence[Example]) -> Batch:
        """A sense that training did not show cannot be chosen: `score` counts it as missed."""
        numbers = [[self.numbers.get(lemma, {}) for lemma in e["lemmas"]] for e in examples]
        senses = [
            [
                [known[key] for key in keys if key in known]
                for known, keys in zip(row, example["senses"], strict=True)
            ]
            for row, example in zip(numbers, examples, strict=True)
        ]
        candidates = [[list(known.values()) for known in row] for row in numbers]
        return {
            "mask": pad([[1] * len(example["tokens"]) for example in examples]).bool(),
            "spans": pad_twice([example["spans"] for example in examples], 0),
            "candidates": pad_twice(candidates, NONE),
            "senses": pad_twice(senses, NONE),
        }

    def model(self, placement: Placement) -> nn.Module:
        return SenseAverages(placement, len(self.keys), self.space)

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Choose senses; `similarity` is the cosine, null where the inventory's first sense was
        taken. An instance of which nothing is known has no answer."""
        nearest, similarity = output["nearest"].tolist(), output["similarity"].tolist()
        return [
            {
                "id": example["id"],
                **{name: example[name] for name in ("set", "tokens", "instances", "lemmas")},
                "gold": example["senses"],
                "prediction": [
                    self._first(lemma) if number == NONE else [self.keys[number]]
                    for lemma, number in zip(example["lemmas"], numbers, strict=False)
                ],
                "similarity": [
                    None if number == NONE else cosine
                    for _, number, cosine in zip(example["lemmas"], numbers, cosines, strict=False)
                ],
            }
            for example, numbers, cosines in zip(examples, nearest, similarity, strict=True)
        ]

    def cluster(self, example: Example) -> str:
        """Name the text: a word tends to have one sense in it (Gale, Church & Yarowsky 1992)."""
        return document(example)

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        """Write each instance's lemma with its senses; see Task."""
        lemmas = example["lemmas"]
        sides = {
            side: ", ".join(f"{m}: {'|'.join(s)}" for m, s in zip(lemmas, row[side], strict=True))
            for side in ("gold", "prediction")
        }
        return {"text": " ".join(example["tokens"]), **sides}

    def _first(self, lemma: str) -> list[str]:
        return [self.first[lemma]] if lemma in self.first else []

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        sets = [row["set"] for row in predictions for _ in row["gold"]]
        gold = [senses for row in predictions for senses in row["gold"]]
        answers = [senses for row in predictions for senses in row["prediction"]]
        return scoring.score(gold, answers, sets)

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        """Score the first sense of each lemma, and its most frequent one in training, or else the
        first."""
        frequent = by_frequency(train)
        rows = list(split)
        first = [[self._first(lemma) for lemma in row["lemmas"]] for row in rows]
        most = [[frequent.get(m, self._first(m))[:1] for m in row["lemmas"]] for row in rows]
        return {
            name: self.score(
                [
                    {"set": row["set"], "gold": row["senses"], "prediction": guess}
                    for row, guess in zip(rows, guesses, strict=True)
                ]
            )[self.metric]
            for name, guesses in (("first sense", first), ("most frequent sense", most))
        }


def by_frequency(train: Dataset) -> dict[str, list[str]]:
    """Order each lemma's senses, the most frequent first; of equals, the one that came first."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for example in train:
        for lemma, senses in zip(example["lemmas"], example["senses"], strict=True):
            counts[lemma].update(senses)
    return {lemma: [key for key, _ in of.most_common()] for lemma, of in counts.items()}
