"""SRL behind the task contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.base.new_text import place_of, tokens_of
from tasks.base.word_task import WordTask
from tasks.formats.tags import (
    BIO,
    OUTSIDE,
    bracketed,
    chunks,
    follows,
    inventory,
    renamed,
    types,
)
from tasks.nn.ensemble import mean
from tasks.nn.padding import pad
from tasks.nn.viterbi import viterbi
from tasks.nn.words import GLOVE_STD, WordEmbedding
from tasks.srl import score as scoring
from tasks.srl.data import FOLDERS, locate, read
from tasks.srl.model import IGNORED, DeepSRL, Sizes
from tasks.srl.sources import SOURCES
from tasks.srl.yardstick import Yardstick
from tasks.task import Batch, Example


class SRL(WordTask):
    """Who did what to whom: the arguments of a given predicate, with their roles.

    Word vectors are trained, those from a file too (the paper's choice). For the keywords, see
    WordTask and model.Sizes.
    """

    name = "srl"
    metric = "f1"
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"text": "Anna Reed met her sister in Oslo.", "predicate": "met"}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split)

    def paths(self, split: str) -> list[Path]:
        return locate(self.folder, split)[1]

    def files(self, split: str) -> str:
        folders = " or ".join(FOLDERS[split])
        return f"{split}.tsv, a CoNLL-2005 file, or a folder {folders} of *gold_conll files"

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        """Count the words of each sentence once, however many predicates it has."""
        sentences = {example["sentence"]: example["words"] for example in examples}
        return Counter(word for words in sentences.values() for word in words)

    def prepare(self, train: Dataset) -> None:
        super().prepare(train)
        self._set_roles(sorted(types(tag for tags in train["tags"] for tag in tags)))

    def vocabulary(self) -> dict[str, Any]:
        return {**super().vocabulary(), "roles": self.roles}

    def restore(self, vocabulary: dict[str, Any]) -> None:
        super().restore(vocabulary)
        self._set_roles(vocabulary["roles"])

    def _set_roles(self, roles: list[str]) -> None:
        """List the tags, and which may follow which: I-X only B-X and I-X, and never comes
        first."""
        self.roles = roles
        self.tags = inventory(roles, BIO)
        self.index = {tag: i for i, tag in enumerate(self.tags)}
        steps = torch.tensor([[follows(a, b, BIO) for b in self.tags] for a in (None, *self.tags)])
        scores = torch.zeros(steps.shape).masked_fill(~steps, -torch.inf)
        self.start, self.transitions = scores[0], scores[1:]

    @property
    def labels(self) -> Sequence[str]:
        return self.tags

    @property
    def label_names(self) -> Collection[str]:
        return self.roles

    def gold_labels(self, example: Example) -> Collection[str]:
        return types(example["tags"])

    def all_names(self, names: Mapping[str, str]) -> Mapping[str, str]:
        """C-X, a further piece of X, goes with X."""
        pieces = {f"C-{old}": new if new == OUTSIDE else f"C-{new}" for old, new in names.items()}
        return {**pieces, **names}

    def renamed(self, row: Example, names: Mapping[str, str]) -> Example:
        """Rename roles; one that becomes O is none any more."""
        names = self.all_names(names)
        return {**row, **{key: renamed(row[key], names) for key in ("gold", "prediction")}}

    def parse(self, fields: Mapping[str, Any]) -> Example:
        """Make an example of `text` or `tokens`, and `predicate`: a word, or its place from 0."""
        words = tokens_of(fields)
        place = place_of(fields, "predicate", words)
        return {"words": words, "predicate": place, "tags": [OUTSIDE] * len(words)}

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["words"]]

    def collate(self, examples: Sequence[Example]) -> Batch:
        found = self.looked_up(example["words"] for example in examples)
        tags = [[self.index.get(tag, IGNORED) for tag in example["tags"]] for example in examples]
        predicate = torch.zeros_like(found["words"])
        predicate[range(len(examples)), [example["predicate"] for example in examples]] = 1
        return {**found, "predicate": predicate, "tags": pad(tags, IGNORED)}

    def model(self, placement: Placement) -> nn.Module:
        embedding = WordEmbedding(self.words, trainable=True, std=GLOVE_STD)
        return DeepSRL(embedding, placement, self.sizes, tags=len(self.tags))

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Choose the best tags; `confidence` is the geometric mean of their probabilities."""
        scores, mask = output["logits"].detach().log_softmax(2).cpu(), output["mask"].cpu()
        paths = viterbi(scores, mask, self.transitions, self.start)
        chosen = scores.gather(2, pad(paths).unsqueeze(2)).squeeze(2) * mask
        confidence = (chosen.sum(1) / mask.sum(1)).exp().tolist()
        return [
            {
                "id": example["id"],
                "tokens": example["words"],
                "gold": example["tags"],
                "prediction": [self.tags[i] for i in path],
                "predicate": example["predicate"],
                "confidence": sure,
            }
            for example, path, sure in zip(examples, paths, confidence, strict=True)
        ]

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """Make a product of experts, as in He et al. 2017: the mean of the log-probabilities, which
        is their sum but for the scale."""
        scores = mean(output["logits"].float().log_softmax(2) for output in outputs)
        return {"logits": scores, "mask": outputs[0]["mask"]}

    def cluster(self, example: Example) -> str:
        """Name the document, if the data tells it, else the sentence, which its predicates
        share."""
        return str(example.get("document_id") or example["sentence"])

    def slices(self, example: Example) -> dict[str, str | int]:
        """Add how many words the farthest argument is away from the predicate; see Task."""
        place = example["predicate"]
        arguments = [(i, j) for i, j, kind in chunks(example["tags"]) if kind != "V"]
        away = (max(i - place, place - j + 1) for i, j in arguments)
        return {**super().slices(example), "farthest argument": max(away, default=0)}

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        sides = {side: bracketed(example["words"], row[side]) for side in ("gold", "prediction")}
        return {"text": " ".join(example["words"]), **sides}

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        """Return precision, recall and F1 over all roles but V."""
        propositions = [{"gold": row["gold"], "pred": row["prediction"]} for row in predictions]
        figures = scoring.score([{"propositions": propositions}])
        return {name: figures[name] for name in ("precision", "recall", "f1")}

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        yardstick = Yardstick(train)
        rows = [{"gold": example["tags"], "prediction": yardstick(example)} for example in split]
        return {"commonest next tag": self.score(rows)[self.metric]}
