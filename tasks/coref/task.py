"""Coreference behind the task contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.text.sentences import split_sentences
from tasks.base.new_text import text_of
from tasks.base.sizes import check
from tasks.base.word_task import WordTask
from tasks.coref import score as scoring
from tasks.coref.data import FOLDERS, locate, names, read
from tasks.coref.decode import clusters
from tasks.coref.model import EndToEnd, Sizes
from tasks.coref.sources import SOURCES
from tasks.coref.yardstick import Yardstick
from tasks.nn.char_words import spell
from tasks.nn.padding import pad
from tasks.nn.words import WordEmbedding
from tasks.task import Batch, DataError, Example, NotCombinable


class Coref(WordTask):
    """Which expressions of a document mean the same?

    An example is a document, or a part of one. `drop_singletons` leaves clusters of one mention out
    of the gold of every split. Word vectors from a file are fixed (the paper's choice). For
    `others`, see WordTask and model.Sizes.
    """

    name = "coref"
    metric = "conll_f1"
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"text": "Anna Reed met her sister in Oslo. She was glad."}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def __init__(self, *, drop_singletons: bool = False, **others: Any) -> None:
        check("drop_singletons", drop_singletons, bool)
        super().__init__(**others)
        self.drop_singletons = drop_singletons

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split, drop_singletons=self.drop_singletons)

    def paths(self, split: str) -> list[Path]:
        return locate(self.folder, split)[1]

    def files(self, split: str) -> str:
        return f"{', '.join(names(split))}, or a folder {' or '.join(FOLDERS[split])}"

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        return Counter(word for example in examples for s in example["sentences"] for word in s)

    def prepare(self, train: Dataset) -> None:
        super().prepare(train)
        self.genres = sorted({*train["genre"]} - {""})

    def vocabulary(self) -> dict[str, Any]:
        return {**super().vocabulary(), "genres": self.genres}

    def restore(self, vocabulary: dict[str, Any]) -> None:
        super().restore(vocabulary)
        self.genres = vocabulary["genres"]

    def parse(self, fields: Mapping[str, Any]) -> Example:
        """Make an example of `text`; or of `sentences`, lists of words, which may come with
        `speakers`, a list beside each; `genre`, where training knew some."""
        sentences = fields.get("sentences") or list(split_sentences(text_of(fields)))
        if not (_texts(sentences) and all(words and all(words) for words in sentences)):
            raise DataError("sentences: must be lists of words, none of them empty")
        speakers = fields.get("speakers") or [[""] * len(words) for words in sentences]
        if not _texts(speakers) or list(map(len, speakers)) != list(map(len, sentences)):
            raise DataError("speakers: must be lists like `sentences`, one speaker a word")
        genre = str(fields.get("genre", ""))
        return {"genre": genre, "sentences": sentences, "speakers": speakers, "clusters": []}

    def sentences(self, example: Example) -> list[list[str]]:
        sentences: list[list[str]] = example["sentences"]
        return sentences

    def collate(self, examples: Sequence[Example]) -> Batch:
        sentences = [words for example in examples for words in example["sentences"]]
        spellings, spelled = spell(sentences)
        genres = {genre: i for i, genre in enumerate(self.genres, start=1)}
        return {
            **self.looked_up(sentences),
            "spellings": spellings,
            "spelled": spelled,
            "speakers": pad([row for example in examples for row in _speakers(example)]),
            "document_lengths": torch.tensor([len(example["sentences"]) for example in examples]),
            "genre": torch.tensor([genres.get(example["genre"], 0) for example in examples]),
            "gold": torch.tensor(_gold(examples), dtype=torch.long).view(-1, 3),
        }

    def model(self, placement: Placement) -> nn.Module:
        words = WordEmbedding(self.words)
        return EndToEnd(words, placement, self.sizes, genres=len(self.genres))

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Read off clusters: `prediction` are clusters of mentions [first token, last token] of
        `tokens`, `mentions` the same in words; `links` are the mentions that have an antecedent:
        the mention, the antecedent, the probability of the link."""
        begins = _begins(examples)
        mentions, antecedent = output["mentions"].cpu(), output["antecedent"].cpu()
        probability = output["probability"].cpu()
        document = torch.bucketize(
            mentions[:, 0].contiguous(), torch.tensor(begins[1:]), right=True
        )
        rows = []
        for d, (example, begin) in enumerate(zip(examples, begins, strict=False)):
            linked = ((document == d) & (antecedent >= 0)).nonzero().squeeze(1)
            pairs = torch.stack([linked, antecedent[linked]], dim=1)
            links = (mentions[pairs] - begin).tolist()
            tokens = [word for sentence in example["sentences"] for word in sentence]
            found = clusters(links)
            rows.append(
                {
                    "id": example["id"],
                    "tokens": tokens,
                    "prediction": found,
                    "gold": example["clusters"],
                    "mentions": [[" ".join(tokens[a : b + 1]) for a, b in c] for c in found],
                    "links": [
                        [*link, sure]
                        for link, sure in zip(links, probability[linked].tolist(), strict=True)
                    ],
                }
            )
        return rows

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        raise NotCombinable(
            "each model keeps mentions of its own (it prunes spans by its own scores), so that "
            "there are no common antecedents to add up"
        )

    def cluster(self, example: Example) -> str:
        """Name the document, of which an example may be a part."""
        return str(example["id"]).rpartition(":")[0]

    def slices(self, example: Example) -> dict[str, str | int]:
        """Add the genre, and the words between a mention and the one before it, at most."""
        pairs = [pair for cluster in example["clusters"] for pair in pairwise(sorted(cluster))]
        away = max((after[0] - before[0] for before, after in pairs), default=0)
        found = {**super().slices(example), "farthest antecedent": away}
        return {**found, "genre": example["genre"]} if example["genre"] else found

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        """Write each cluster in braces, its mentions in the order of the text; see Task."""
        tokens = row["tokens"]
        sides = {side: _braced(tokens, row[side]) for side in ("gold", "prediction")}
        return {"text": " ".join(tokens), **sides}

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        """Return `conll_f1`, the mean F1 of MUC, B³ and CEAF-e; and all figures of each metric."""
        figures = scoring.score(
            [{"key": r["gold"], "response": r["prediction"]} for r in predictions]
        )
        average = figures.pop("conll_average")
        each = {f"{m}_{name}": value for m, row in figures.items() for name, value in row.items()}
        return {"conll_f1": average, **each}

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        yardstick = Yardstick(train)
        rows = [
            {"gold": example["clusters"], "prediction": yardstick(example)} for example in split
        ]
        return {"same head, nearest pronoun": self.score(rows)[self.metric]}


def _braced(tokens: Sequence[str], found: Sequence[Sequence[Sequence[int]]]) -> str:
    """Write clusters as `{Anna Reed, she} {Oslo, the town}`."""
    ordered = sorted(sorted(map(tuple, cluster)) for cluster in found)
    each = (", ".join(" ".join(tokens[a : b + 1]) for a, b in cluster) for cluster in ordered)
    return " ".join(f"{{{mentions}}}" for mentions in each)


def _begins(examples: Sequence[Example]) -> list[int]:
    """Find each document's first token in the batch, and one past the last document."""
    return [0, *accumulate(sum(map(len, example["sentences"])) for example in examples)]


def _texts(rows: Any) -> bool:
    """Return whether this is a list of lists of strings."""
    return isinstance(rows, list) and all(
        isinstance(row, list) and all(isinstance(each, str) for each in row) for row in rows
    )


def _speakers(example: Example) -> list[list[int]]:
    """Number the speakers: numbers are equal for the same one."""
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(s, len(numbers)) for s in row] for row in example["speakers"]]


def _gold(examples: Sequence[Example]) -> list[list[int]]:
    """List the mentions: (first token, last token, cluster), tokens and clusters counted
    through."""
    begins = _begins(examples)
    every = [(begins[i], c) for i, example in enumerate(examples) for c in example["clusters"]]
    return [
        [begin + first, begin + last, number]
        for number, (begin, cluster) in enumerate(every, start=1)
        for first, last in cluster
    ]
